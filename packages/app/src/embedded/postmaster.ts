import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, OperatorError } from '../errors/operator-error.ts';

/** A user of the operating system by numeric IDs. */
export interface UnixUser {
  readonly uid: number;
  readonly gid: number;
}

const findUser = (name: string): UnixUser | undefined => {
  const id = (flag: '-u' | '-g'): number =>
    Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
};

/**
 * Returns the user to run PostgreSQL as; undefined for the user of this process. PostgreSQL refuses to run as root. A
 * process of root therefore runs it as the owner of its files or, if there are no files yet, as an unprivileged user.
 *
 * @throws OperatorError if there is no unprivileged user.
 */
export const serverUser = (cluster: string): UnixUser | undefined => {
  if (process.getuid?.() !== 0) return undefined;
  const owner = existsSync(cluster) ? statSync(cluster) : undefined;
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = findUser('postgres') ?? findUser('nobody');
  if (user) return user;
  throw new OperatorError('The embedded PostgreSQL cannot run as root; create a user named postgres.');
};

/** Returns whether a process with this ID exists, of any user. */
export const isRunning = (pid: number): boolean => {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
};

/** Returns the command line of a process as a list of arguments; empty if the process has ended. */
const commandOf = (pid: number): readonly string[] => {
  try {
    return process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).split(/\s+/);
  } catch {
    return [];
  }
};

/**
 * Returns the path of a cluster for a program of PostgreSQL, and the working directory in which the program starts.
 * Linux lets a process use its working directory even if it has no access to the parent directories.
 */
export const accessTo = (cluster: string, user: UnixUser | undefined) => ({
  cwd: cluster,
  path: user && process.platform === 'linux' ? '/proc/self/cwd' : cluster,
});

/** The port number in the name of PostgreSQL's socket. */
export const SOCKET_PORT = 5432;

/** If PostgreSQL's log is larger than this many bytes, the next start truncates it. */
const MAX_LOG_BYTES = 2 ** 20;

/** Milliseconds to wait for a shutdown, whose checkpoint takes long on a slow or busy disk. */
const POSTMASTER_SHUTDOWN_LIMIT_MS = 30_000;

/** Where PostgreSQL listens: a socket in the cluster's directory, or a port on localhost. */
export type Listen = { readonly socket: true } | { readonly socket: false; readonly port: number };

// When PostgreSQL runs as another user, its command line does not contain the path of its files. The device and inode
// numbers identify the directory even after it was moved.
const clusterNameOf = (cluster: string): string => {
  const { dev, ino } = statSync(cluster);
  return `cluster_name=chapter-${dev}-${ino}`;
};

/** Returns the size of a file in bytes; 0 if it does not exist. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const pidIn = (cluster: string): number | undefined => {
  try {
    const pid = Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};

const isPostmaster = (pid: number, cluster: string): boolean => commandOf(pid).includes(clusterNameOf(cluster));

/** Returns the ID of the process that serves the cluster, or undefined if none runs. Ignores stale PID files. */
export const postmasterOf = (cluster: string): number | undefined => {
  const pid = pidIn(cluster);
  return pid !== undefined && isPostmaster(pid, cluster) ? pid : undefined;
};

/**
 * Starts PostgreSQL on the cluster. The server outlives this process, so that other processes can continue to use it.
 * If another process has started a server in the meantime, PostgreSQL refuses to start, and the child ends.
 */
export const startPostmaster = (
  cluster: string,
  { postgres, listen, log, user }: { postgres: string; listen: Listen; log: string; user: UnixUser | undefined },
): ChildProcess => {
  const { cwd, path } = accessTo(cluster, user);
  const stale = pidIn(cluster);
  const settings = {
    fsync: 'on',
    full_page_writes: 'on',
    jit: 'off',
    listen_addresses: listen.socket ? '' : '127.0.0.1',
    max_connections: '200',
    synchronous_commit: 'on',
    timezone: 'UTC',
    unix_socket_directories: listen.socket ? path : '',
    unix_socket_permissions: '0700',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const port = String(listen.socket ? SOCKET_PORT : listen.port);
  const output = openSync(log, sizeOf(log) > MAX_LOG_BYTES ? 'w' : 'a', 0o600);
  // An unrelated process may have reused the ID of a killed server. PostgreSQL then considers its PID file valid,
  // unless the ID is that of one of its ancestors. PostgreSQL still checks whether another server uses the files.
  const reusedPid =
    stale !== undefined && isRunning(stale) && !isPostmaster(stale, cluster)
      ? { PG_GRANDPARENT_PID: String(stale) }
      : {};
  try {
    const child = spawn(postgres, ['-D', path, '-p', port, ...flags, '-c', clusterNameOf(cluster)], {
      ...user,
      cwd,
      detached: true, // so that Ctrl-C in a terminal does not stop it
      env: { PATH: process.env['PATH'], TZ: 'UTC', ...reusedPid },
      stdio: ['ignore', output, output],
    });
    child.unref();
    return child;
  } finally {
    closeSync(output);
  }
};

/** Stops PostgreSQL: running statements are aborted, committed data is kept. Does nothing if it does not run. */
export const stopPostmaster = async (cluster: string): Promise<void> => {
  const pid = postmasterOf(cluster);
  if (pid === undefined) return;
  process.kill(pid, 'SIGINT');
  // An ended process has no command line, although its ID stays until its parent reads its exit status.
  for (
    const until = Date.now() + POSTMASTER_SHUTDOWN_LIMIT_MS;
    isPostmaster(pid, cluster) && Date.now() < until;
    await sleep(10)
  );
};
