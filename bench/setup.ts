import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from 'autocannon/package.json' with { type: 'json' };
import { Client } from 'pg';
import { fill } from '../test-support/lists/fill.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { type Load, putLoad } from './load.ts';
import { cpuSecondsOf, mebibytesOf, parentOf } from './processes.ts';
import { percentiles } from './report/numbers.ts';
import { type RunningServer, type ServerSettings, startServer } from './server.ts';
import type { Settings } from './settings.ts';
import { makeKey } from './tokens.ts';
import { type BenchWorld, collectCursors, readCallers, startSessions } from './world.ts';

const IDLE_CHECK_MS = 200;
const MAX_IDLE_CHECKS = 1500;

/** Waits until all child processes have finished the work of earlier loads, such as hashes for closed connections. */
const waitUntilIdle = async (): Promise<void> => {
  let before = cpuSecondsOf(process.pid);
  for (let checks = 0; checks < MAX_IDLE_CHECKS; checks++) {
    await sleep(IDLE_CHECK_MS);
    const now = cpuSecondsOf(process.pid);
    if (now - before <= IDLE_CHECK_MS / 1000 / 5) return;
    before = now;
  }
  throw new Error('a server or the database does not become idle');
};

/** Fills an embedded PostgreSQL that does not wait for the disk, so that the disk hides no cost of a server. */
export const openSetup = async (settings: Settings, stack: AsyncDisposableStack) => {
  const { url, stop } = await startEmbedded();
  stack.defer(stop);
  const client = new Client({ connectionString: url });
  await client.connect();
  stack.defer(() => client.end());
  await fill(url, settings.population);
  await startSessions(client, settings.scrypt);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const databasePid = parentOf(rows[0]?.pid ?? 0);
  const folder = await mkdtemp(join(tmpdir(), 'chapter-bench-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const [key, keysFile] = [makeKey(), join(folder, 'keys.json')];
  await writeFile(keysFile, key.text, { mode: 0o600 });
  const callers = await readCallers(client, key.privateKey);
  const [prober] = callers.deepStaff;
  if (!prober) throw new Error('the database has no callers');
  const probe = { path: `/api/users/${prober.id}/`, token: prober.token };
  const servers: ServerSettings = { databaseUrl: url, keysFile, scrypt: settings.scrypt, probe };
  /** Starts a server, which stops when `stack` is disposed, at the latest. */
  const start = async (name: RunningServer['name'], more: Partial<ServerSettings> = {}): Promise<RunningServer> => {
    const server = await startServer(name, { ...servers, ...more });
    stack.defer(server.stop);
    return server;
  };
  const service = await start('service');
  const deepCursors = await collectCursors(service.url, prober.token, settings.population.members);
  await service.stop();
  return {
    world: { ...callers, deepCursors } satisfies BenchWorld,
    client,
    /** Names and versions, for the report. */
    versions: [await versionOf(url), `autocannon ${manifest.version}`],
    start,
    /** Waits until all servers are idle, puts load on one, and measures what it and the database use. */
    measure: async (server: RunningServer, load: Load) => {
      await waitUntilIdle();
      const [serverCpu, databaseCpu] = [cpuSecondsOf(server.pid), cpuSecondsOf(databasePid)];
      const result = await putLoad(server.url, load);
      return {
        ...result,
        ...percentiles(result.latencies),
        serverCpu: cpuSecondsOf(server.pid) - serverCpu,
        databaseCpu: cpuSecondsOf(databasePid) - databaseCpu,
        memory: mebibytesOf(server.pid),
      };
    },
  };
};

/** A filled database, callers, and functions to start and measure servers. */
export type Setup = Awaited<ReturnType<typeof openSetup>>;

/** One load on one server. CPU is in seconds, memory after the load in mebibytes. */
export type Measurement = Awaited<ReturnType<Setup['measure']>>;
