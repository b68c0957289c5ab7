import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { entryOf } from './cluster.ts';
import { commandOf, isRunning } from './processes.ts';
import type { UnixUser } from './unix-user.ts';

/** The number in the name of PostgreSQL's socket. */
export const SOCKET_PORT = 5432;

/** Past this size, in bytes, PostgreSQL's log begins anew at the next start. */
const MAX_LOG_BYTES = 2 ** 20;

/** How long, in milliseconds, a shutdown may take before it is no longer waited for. */
const SHUTDOWN_LIMIT_MS = 5000;

/** Where PostgreSQL listens: a socket in the cluster's directory, or a port of this machine. */
export type Listen = { readonly socket: true } | { readonly socket: false; readonly port: number };

// PostgreSQL keeps no name of its files in its command when it runs as somebody else; the number of the directory stays
// the same wherever it is moved, and no other directory has it.
const nameOf = (cluster: string): string => {
  const { dev, ino } = statSync(cluster);
  return `cluster_name=chapter-${dev}-${ino}`;
};

/** The size of a file in bytes; 0 where there is none. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const pidIn = (cluster: string): number | undefined => {
  try {
    const pid = Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
};

const isPostmaster = (pid: number, cluster: string): boolean => commandOf(pid).includes(nameOf(cluster));

/** The process that serves the cluster; undefined where there is none, whatever a stale file of PostgreSQL says. */
export const postmasterOf = (cluster: string): number | undefined => {
  const pid = pidIn(cluster);
  return pid !== undefined && isPostmaster(pid, cluster) ? pid : undefined;
};

/**
 * Starts PostgreSQL on the cluster. It outlives this process, so that others can go on using it. Where another process
 * has started it meanwhile, PostgreSQL itself refuses, and the child ends.
 */
export const startPostmaster = (
  cluster: string,
  { postgres, listen, log, user }: { postgres: string; listen: Listen; log: string; user: UnixUser | undefined },
): ChildProcess => {
  const { cwd, path } = entryOf(cluster, user);
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
  // Another process may have got the number of one that was killed; PostgreSQL then takes its own file for valid, unless
  // it is told that the number is one of its ancestors'. It still looks whether anybody uses the files.
  const reused =
    stale !== undefined && isRunning(stale) && !isPostmaster(stale, cluster)
      ? { PG_GRANDPARENT_PID: String(stale) }
      : {};
  try {
    const child = spawn(postgres, ['-D', path, '-p', port, ...flags, '-c', nameOf(cluster)], {
      ...user,
      cwd,
      detached: true, // a terminal's Ctrl-C is not for it
      env: { PATH: process.env['PATH'], TZ: 'UTC', ...reused },
      stdio: ['ignore', output, output],
    });
    child.unref();
    return child;
  } finally {
    closeSync(output);
  }
};

/** Stops PostgreSQL: what runs is broken off, what was committed is kept. Does nothing where it does not run. */
export const stopPostmaster = async (cluster: string): Promise<void> => {
  const pid = postmasterOf(cluster);
  if (pid === undefined) return;
  process.kill(pid, 'SIGINT');
  // One that has ended has no command any more, though its number stays until somebody asks how it ended.
  for (const until = Date.now() + SHUTDOWN_LIMIT_MS; isPostmaster(pid, cluster) && Date.now() < until; await sleep(10));
};
