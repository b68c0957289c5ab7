import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import manifest from 'autocannon/package.json' with { type: 'json' };
import { Client } from 'pg';
import { fill } from '../test-support/lists/fill.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { versionOf } from '../test-support/postgres/version.ts';
import { execute } from '../test-support/processes.ts';
import { otherShape, requestsOf } from './kinds.ts';
import { type Load, putLoad } from './load.ts';
import { cpuSecondsOf, parentOf } from './processes.ts';
import { percentiles } from './report/numbers.ts';
import { type Program, SERVICE, startServer } from './server.ts';
import type { Settings } from './settings.ts';
import { type BenchWorld, collectCursors, makeKey, readCallers, startSessions } from './world.ts';

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

/** Migrates an empty database with the command of the repository in a folder. */
const migrateFrom = (root: string) => async (url: string) => {
  const env = { PATH: process.env['PATH'], DATABASE_URL: url };
  await execute(process.execPath, ['packages/app/src/cli/main.ts', 'migrate'], { cwd: root, env });
};

/**
 * Fills an embedded PostgreSQL that does not wait for the disk, so that the disk hides no cost of a server. Its schema is that
 * of the service in `root`.
 */
export const openSetup = async (
  { population }: Pick<Settings, 'population'>,
  stack: AsyncDisposableStack,
  root = '.',
) => {
  const { url: databaseUrl, stop } = await startEmbedded();
  stack.defer(stop);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  stack.defer(() => client.end());
  await fill(databaseUrl, population, { migrate: migrateFrom(root) });
  await startSessions(client);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const databasePid = parentOf(rows[0]?.pid ?? 0);
  const folder = await mkdtemp(join(tmpdir(), 'chapter-bench-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const [key, keysFile] = [await makeKey(), join(folder, 'keys.json')];
  await writeFile(keysFile, key.text, { mode: 0o600 });
  const callers = await readCallers(client, key.privateKey);
  const [prober] = callers.deepStaff;
  if (!prober) throw new Error('the database has no callers');
  const probe = { path: `/api/users/${prober.id}/`, token: prober.token };

  // Otherwise, autovacuum might run during a measurement.
  const vacuum = () => client.query('vacuum user_account');
  /** Starts a server, which stops when `stack` is disposed, at the latest. */
  const start = async (program: Program, url = databaseUrl) => {
    const logFile = join(folder, `${program.name.replaceAll('/', '-')}.log`);
    const server = await startServer({ root, ...program }, { databaseUrl: url, keysFile, logFile, probe });
    stack.defer(server.stop);
    /** Waits until all servers are idle, puts load on this one, and measures what it and its database use. */
    const measure = async (load: Load) => {
      await waitUntilIdle();
      const [serverCpu, databaseCpu] = [cpuSecondsOf(server.pid), cpuSecondsOf(databasePid)];
      const result = await putLoad(server.url, load);
      const used = {
        serverCpu: cpuSecondsOf(server.pid) - serverCpu,
        databaseCpu: cpuSecondsOf(databasePid) - databaseCpu,
      };
      await server.truncateLog();
      return { ...result, ...percentiles(result.latencies), ...used };
    };
    return { ...server, measure, vacuum };
  };

  const service = await start(SERVICE);
  const deepCursors = await collectCursors(service.url, prober.token, population.members);
  await service.stop();
  const world: BenchWorld = { ...callers, deepCursors };
  return {
    world,
    databaseUrl,
    /** Names and versions, for the report. */
    versions: [await versionOf(databaseUrl), `autocannon ${manifest.version}`],
    start,
    /** Starts the service, and reads lists of other shapes than those that are measured. */
    startService: async (program: Program, seconds: number) => {
      const started = await start(program);
      await started.measure({ requests: requestsOf(otherShape, world), connections: 32, seconds });
      return started;
    },
  };
};

/** A filled database, callers, and a function to start servers. */
export type Setup = Awaited<ReturnType<typeof openSetup>>;

/** A server that runs for the bench. */
export type RunningServer = Awaited<ReturnType<Setup['start']>>;

/** One load on one server. CPU is in seconds. */
export type Measurement = Awaited<ReturnType<RunningServer['measure']>>;
