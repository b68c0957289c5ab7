import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { makeTemporaryPath } from '../files/temporary-path.ts';
import { isRunning, runProgram } from './processes.ts';
import type { UnixUser } from './unix-user.ts';

/** The only role of the embedded PostgreSQL. */
export const ROLE = 'chapter';

/** The path of a cluster for a program of PostgreSQL, and the working directory in which the program starts. */
export interface ClusterAccess {
  readonly cwd: string;
  /** The path that the program gets. */
  readonly path: string;
}

/**
 * Returns how a program that runs as another user accesses the cluster. Linux lets a process use its working directory even
 * if it has no access to the parent directories.
 */
export const accessTo = (cluster: string, user: UnixUser | undefined): ClusterAccess => ({
  cwd: cluster,
  path: user && process.platform === 'linux' ? '/proc/self/cwd' : cluster,
});

/** @throws OperatorError if another major version of PostgreSQL created the files. */
const refuseOtherVersion = (cluster: string, major: string): void => {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  // PostgreSQL itself reports a file without a version.
  if (found === major || !/^\d+$/.test(found)) return;
  const what = `${cluster} has files of PostgreSQL ${found}, but the embedded PostgreSQL has version ${major}`;
  throw new OperatorError(`${what}; use another DATA_DIR, or the release that created these files.`);
};

/** Removes unfinished clusters of killed processes. Returns whether another process is creating the cluster now. */
const isBeingCreated = (cluster: string): boolean => {
  const prefix = `${basename(cluster)}.new-`;
  const others = readdirSync(dirname(cluster)).filter((name) => name.startsWith(prefix));
  const [alive = [], dead = []] = [true, false].map((state) =>
    others.filter((name) => isRunning(Number.parseInt(name.slice(prefix.length), 10)) === state),
  );
  for (const name of dead) rmSync(join(dirname(cluster), name), { recursive: true, force: true });
  return alive.length > 0;
};

/** Runs initdb. Returns its error message, or undefined if it succeeded. */
const runInitdb = async (
  initdb: string,
  { cwd, path }: ClusterAccess,
  passwordFile: string,
  user: UnixUser | undefined,
): Promise<string | undefined> => {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // The user may have no access to the password file's directory, but can read the open file as standard input.
  const login = [`--username=${ROLE}`, '--pwfile=/dev/stdin', '--auth=scram-sha-256'];
  const input = openSync(passwordFile, 'r');
  try {
    const options = { ...user, cwd, env: { PATH: process.env['PATH'], TZ: 'UTC' } };
    const ended = await runProgram(
      initdb,
      [`--pgdata=${path}`, ...locale, ...login, '--no-instructions'],
      input,
      options,
    );
    return ended.status === 0 ? undefined : ended.stderr.trim().split('\n').at(-1) || 'unknown error';
  } finally {
    closeSync(input);
  }
};

/**
 * Creates PostgreSQL's files unless they exist. They appear in one step: a killed process leaves no partial cluster, and if
 * two processes create them at once, the files of one are used.
 *
 * @throws OperatorError if the files are of another version or cannot be created.
 */
export const ensureCluster = async (
  cluster: string,
  { initdb, major, password, user }: { initdb: string; major: string; password: string; user: UnixUser | undefined },
): Promise<void> => {
  while (!existsSync(join(cluster, 'PG_VERSION')) && isBeingCreated(cluster)) await sleep(20);
  if (existsSync(join(cluster, 'PG_VERSION'))) return refuseOtherVersion(cluster, major);
  using temporary = makeTemporaryPath(cluster, `${cluster}.new-${process.pid}`);
  const unfinished = temporary.path;
  const passwordFile = `${unfinished}-password`;
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user) for (const file of [unfinished, passwordFile]) chownSync(file, user.uid, user.gid);
    const message = await runInitdb(initdb, accessTo(unfinished, user), passwordFile, user);
    if (message)
      throw new OperatorError(`The embedded PostgreSQL could not create its files in ${cluster}: ${message}`);
    temporary.replace();
  } catch (error) {
    // Another process may have created the files first.
    if (!existsSync(join(cluster, 'PG_VERSION'))) throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
};
