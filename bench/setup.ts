import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { makeFolder } from '../test-support/folders.ts';
import { fill } from '../test-support/lists/fill.ts';
import type { Population } from '../test-support/lists/members.ts';
import { startEmbedded } from '../test-support/postgres/embedded.ts';
import { execute } from '../test-support/processes.ts';
import { type Load, putLoad } from './load.ts';
import { cpuSecondsOf } from './processes.ts';
import { percentiles } from './report/numbers.ts';
import { type Program, startServer } from './server.ts';
import { startSessions } from './world.ts';

const IDLE_CHECK_MS = 200;

/** Waits until all child processes have finished the work of earlier loads. */
const waitUntilIdle = async (): Promise<void> => {
  let [before, now] = [Number.NEGATIVE_INFINITY, cpuSecondsOf(process.pid)];
  while (now - before > IDLE_CHECK_MS / 1000 / 5) {
    await sleep(IDLE_CHECK_MS);
    [before, now] = [now, cpuSecondsOf(process.pid)];
  }
};

/** Migrates an empty database with the command of the repository in a folder. */
const migrateFrom = (root: string) => async (url: string) => {
  const env = { PATH: process.env['PATH'], DATABASE_URL: url };
  await execute(process.execPath, ['packages/app/src/cli/main.ts', 'migrate'], { cwd: root, env });
};

/**
 * Fills an embedded PostgreSQL that does not wait for the disk, so that the disk hides no cost of a server. Its schema is that
 * of the service in `root`, which is the root of the servers, too.
 */
export const openSetup = async (population: Population, stack: AsyncDisposableStack, root = '.') => {
  const { url: databaseUrl, stop } = await startEmbedded();
  stack.defer(stop);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  stack.defer(() => client.end());
  await fill(databaseUrl, population, { migrate: migrateFrom(root) });
  const { world, keys } = await startSessions(client);
  const { rows } = await client.query<{ text: string }>(`select pg_read_file('postmaster.pid') as text`);
  const databasePid = Number.parseInt(rows[0]?.text ?? '');
  const folder = makeFolder();
  const keysFile = join(folder, 'keys.json');
  await writeFile(keysFile, keys, { mode: 0o600 });

  // Otherwise, autovacuum might run during a measurement.
  const vacuum = () => client.query('vacuum user_account');
  /** Starts a server, which stops when `stack` is disposed. */
  const start = async (program: Program, url = databaseUrl) => {
    const logFile = join(folder, `${program.name.replaceAll('/', '-')}.log`);
    const server = await startServer(program, { root, databaseUrl: url, keysFile, logFile });
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
  return { world, databaseUrl, start };
};

/** A filled database, callers, and a function to start servers. */
export type Setup = Awaited<ReturnType<typeof openSetup>>;

/** A server that runs for the bench. */
export type RunningServer = Awaited<ReturnType<Setup['start']>>;

/** One load on one server. CPU is in seconds. */
export type Measurement = Awaited<ReturnType<RunningServer['measure']>>;
