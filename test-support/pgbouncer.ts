import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverUser } from '../packages/app/src/embedded/postmaster.ts';
import { freePort } from './free-port.ts';
import { spawn } from './processes.ts';
import { query } from './query.ts';

/** PATH with the folder where Debian installs pgbouncer. */
const PATH = `${process.env['PATH']}:/usr/sbin`;

/** Milliseconds within which pgbouncer connects clients to the database, on a slow and busy machine. */
const START_LIMIT_MS = 120_000;

/** A running pgbouncer. */
export interface Pgbouncer {
  /** The database's URL through pgbouncer. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const readVersion = (): string | undefined => {
  try {
    return execFileSync('pgbouncer', ['--version'], { env: { PATH }, encoding: 'utf8' });
  } catch {
    return undefined;
  }
};

/** Returns whether pgbouncer is installed. */
export const hasPgbouncer = (): boolean => readVersion() !== undefined;

/** Returns whether the installed pgbouncer tracks prepared statements in transaction mode, as versions from 1.21 on do. */
export const tracksPreparedStatements = (): boolean => {
  const [, major = 0, minor = 0] = /^PgBouncer (\d+)\.(\d+)/m.exec(readVersion() ?? '') ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
};

/**
 * Starts pgbouncer in front of a database. `settings` extend the required ones. Clients use `alias` as the name of the
 * database; by default, its real name.
 *
 * @throws Error if pgbouncer ends or does not connect clients in time.
 */
export const startPgbouncer = async (
  target: string,
  settings: Readonly<Record<string, string>> = {},
  alias?: string,
  limitMs = START_LIMIT_MS,
): Promise<Pgbouncer> => {
  const url = new URL(target);
  const name = url.pathname.slice(1);
  url.pathname = alias ?? name;
  const user = serverUser('');
  const dir = mkdtempSync(join(user ? '/tmp' : tmpdir(), 'chapter-test-pgbouncer-'));
  const port = await freePort();
  const { hostname, port: serverPort, username, password } = url;
  const all = { listen_addr: '127.0.0.1', listen_port: port, auth_type: 'any', unix_socket_dir: '', ...settings };
  const file = join(dir, 'pgbouncer.ini');
  writeFileSync(
    file,
    [
      '[databases]',
      `${alias ?? name} = dbname=${name} host=${hostname} port=${serverPort} user=${username} password=${password}`,
      '[pgbouncer]',
      ...Object.entries(all).map(([name, value]) => `${name} = ${value}`),
    ].join('\n'),
  );
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, dir]);
  const child = spawn('pgbouncer', ['--quiet', file], {
    ...user,
    env: { PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  url.hostname = '127.0.0.1';
  url.port = String(port);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  };
  const findError = (): Promise<string | undefined> =>
    query(url.href, 'select').then(
      () => undefined,
      ({ message }: Error) => message,
    );
  // This also ends a statement that waits in pgbouncer for a connection to the database.
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
  for (let error = await findError(); error !== undefined; error = await findError()) {
    await sleep(20);
    if (child.exitCode === null && child.signalCode === null) continue;
    clearTimeout(timer);
    await stop();
    const why = child.exitCode === null ? `connected no client within ${limitMs / 1000} s` : 'ended during its start';
    throw new Error(`pgbouncer ${why} (${error})`);
  }
  clearTimeout(timer);
  return { url: url.href, stop };
};
