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
import { makeAside } from '../files/aside.ts';
import { isRunning, run } from './processes.ts';
import type { UnixUser } from './unix-user.ts';

/** The one role of the embedded PostgreSQL. */
export const ROLE = 'chapter';

/** What a program of PostgreSQL is told of a cluster, and where it is started. */
export interface Entry {
  readonly cwd: string;
  /** The path of the cluster as the program sees it. */
  readonly path: string;
}

/**
 * The way into a cluster for a program that runs as somebody else: Linux lets it use the directory in which it is started
 * even where it may not pass through the directories above.
 */
export const entryOf = (cluster: string, user: UnixUser | undefined): Entry => ({
  cwd: cluster,
  path: user && process.platform === 'linux' ? '/proc/self/cwd' : cluster,
});

/** @throws OperatorError where the files are of another major version of PostgreSQL, and cannot be opened. */
const refuseOtherVersion = (cluster: string, major: string): void => {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  // PostgreSQL itself refuses a file that names no version.
  if (found === major || !/^\d+$/.test(found)) return;
  const what = `${cluster} has files of PostgreSQL ${found}, and the embedded one is PostgreSQL ${major}`;
  throw new OperatorError(`${what}; take another DATA_DIR, or the release that made these files.`);
};

/** Removes what killed processes left unfinished; true where another process is at it now. */
const othersAreMaking = (cluster: string): boolean => {
  const prefix = `${basename(cluster)}.new-`;
  const others = readdirSync(dirname(cluster)).filter((name) => name.startsWith(prefix));
  const [alive = [], dead = []] = [true, false].map((state) =>
    others.filter((name) => isRunning(Number.parseInt(name.slice(prefix.length), 10)) === state),
  );
  for (const name of dead) rmSync(join(dirname(cluster), name), { recursive: true, force: true });
  return alive.length > 0;
};

/** What went wrong, in initdb's words; undefined where nothing did. */
const runInitdb = async (
  initdb: string,
  { cwd, path }: Entry,
  passwordFile: string,
  user: UnixUser | undefined,
): Promise<string | undefined> => {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // The password file may lie where the user cannot go; what is open already can be read again by this name.
  const login = [`--username=${ROLE}`, '--pwfile=/dev/stdin', '--auth=scram-sha-256'];
  const input = openSync(passwordFile, 'r');
  try {
    const options = { ...user, cwd, env: { PATH: process.env['PATH'], TZ: 'UTC' } };
    const ended = await run(initdb, [`--pgdata=${path}`, ...locale, ...login, '--no-instructions'], input, options);
    return ended.status === 0 ? undefined : (ended.stderr.trim().split('\n').at(-1) ?? 'for an unknown reason');
  } finally {
    closeSync(input);
  }
};

/**
 * Makes PostgreSQL's files where there are none yet. They come into being all at once: a process that is killed on the way
 * leaves nothing that could be taken for a cluster, and of two processes one wins.
 *
 * @throws OperatorError where there are files of another version, or none can be made.
 */
export const ensureCluster = async (
  cluster: string,
  { initdb, major, password, user }: { initdb: string; major: string; password: string; user: UnixUser | undefined },
): Promise<void> => {
  while (!existsSync(join(cluster, 'PG_VERSION')) && othersAreMaking(cluster)) await sleep(20);
  if (existsSync(join(cluster, 'PG_VERSION'))) return refuseOtherVersion(cluster, major);
  using aside = makeAside(cluster, `${cluster}.new-${process.pid}`);
  const unfinished = aside.path;
  const passwordFile = `${unfinished}-password`;
  try {
    mkdirSync(unfinished, { mode: 0o700 });
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user) for (const file of [unfinished, passwordFile]) chownSync(file, user.uid, user.gid);
    const said = await runInitdb(initdb, entryOf(unfinished, user), passwordFile, user);
    if (said) throw new OperatorError(`The embedded PostgreSQL could not make its files in ${cluster}: ${said}`);
    aside.replace();
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(join(cluster, 'PG_VERSION'))) throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
};
