import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { codeOf, OperatorError } from '../errors/operator-error.ts';
import { findReason } from './cluster.ts';
import { chooseListen, type DataDirectory, databaseUrl, listenOf } from './data-directory.ts';
import { postmasterOf, sizeOf, startPostmaster, stopPostmaster, type UnixUser } from './postmaster.ts';

// Each process that uses the server holds this advisory lock in shared mode, on a separate connection. One that gets it
// in exclusive mode is the last user. When a process is killed, its connection ends, which releases the lock.
const PRESENCE_LOCK = 0x63686170; // "chap"

/** Why a server could not be joined: `absent` if none listens, `recovering` if it reports that, `busy` otherwise. */
type Absence = 'absent' | 'recovering' | 'busy';

const UNREACHABLE = new Set(['ECONNREFUSED', 'ENOENT']);

/** Classifies a connection error. Undefined: no retry can succeed, as the login is wrong (SQLSTATE class 28). */
const classifyError = (error: unknown): Absence | undefined => {
  if (!(error instanceof Error)) return 'busy';
  const code = codeOf(error);
  if (code.startsWith('28')) return undefined;
  if (UNREACHABLE.has(code)) return 'absent';
  // cannot_connect_now: a server that starts, recovers or shuts down. Only the last ends without accepting connections.
  return code === '57P03' && !error.message.includes('shutting down') ? 'recovering' : 'busy';
};

const tryLock = async (client: Client, expression: string): Promise<boolean> => {
  const { rows } = await client.query<{ got: boolean }>(`select ${expression}(${PRESENCE_LOCK}) as got`);
  return rows[0]?.got === true;
};

/** Joins the server of the directory as one of its users. @throws the server's error if it rejects the login. */
const join = async (directory: DataDirectory) => {
  const connectionString = databaseUrl(directory, listenOf(directory), 'postgres');
  const client = new Client({ connectionString, connectionTimeoutMillis: 5000, keepAlive: true });
  client.on('error', () => {}); // the event `end` follows and is handled
  const end = (): Promise<void> => client.end().catch(() => {});
  try {
    await client.connect();
    if (!(await tryLock(client, 'pg_try_advisory_lock_shared'))) {
      await end();
      return 'busy';
    }
  } catch (error) {
    await end();
    const absence = classifyError(error);
    if (absence) return absence;
    throw error;
  }
  let isShared = true;
  /**
   * Releases the lock. Returns true if no other process uses the server; none can then join until this connection ends.
   * After false, another call checks again.
   */
  const leave = async (): Promise<boolean> => {
    if (isShared) await tryLock(client, 'pg_advisory_unlock_shared');
    isShared = false;
    return tryLock(client, 'pg_try_advisory_lock');
  };
  return { client, leave, end };
};

/** One process's use of the embedded PostgreSQL. */
export type Presence = Exclude<Awaited<ReturnType<typeof join>>, Absence>;

/** Milliseconds within which a server that is being started writes its PID file. */
const PID_FILE_MS = 5000;
/** Milliseconds within which a server finishes starting or stopping, not counting its recovery. */
const TRANSITION_MS = 60_000;
const JOIN_INTERVAL_MS = 50;

/**
 * Joins the server of the directory, also if another process is starting it. Waits without a limit while it recovers.
 * Returns undefined if none runs, or if it neither starts nor stops in time.
 *
 * @throws the server's error if it rejects the login.
 */
export const joinStarting = async (
  directory: DataDirectory,
  { pidFileMs = PID_FILE_MS, transitionMs = TRANSITION_MS } = {},
): Promise<Presence | undefined> => {
  for (let began = Date.now(); ; await sleep(JOIN_INTERVAL_MS)) {
    const presence = await join(directory);
    if (typeof presence === 'object') return presence;
    const limit = postmasterOf(directory.cluster) === undefined ? pidFileMs : transitionMs;
    if (presence === 'recovering') began = Date.now();
    else if (Date.now() - began >= limit) return undefined;
  }
};

/** Milliseconds within which a server must accept connections, not counting its recovery from a crash. */
const START_LIMIT_MS = 60_000;

/** Milliseconds of recovery after which a line tells the operator why the start takes so long. */
const RECOVERY_NOTICE_MS = 5000;

/**
 * How many started servers in a row may end immediately before this counts as a permanent failure. Temporary causes are
 * another process that is starting or stopping a server, and a killed server whose last process still runs.
 */
const MAX_FAILED_STARTS = 12;

/** Longest pause between two starts in milliseconds. */
const MAX_PAUSE_MS = 400;

/** Returns the log line with PostgreSQL's reason for not starting. `from` is the log's size before the start. */
const findFailureLine = (log: string, from: number): string => {
  const written = readFileSync(log);
  // The log may have been truncated since.
  return findReason(written.subarray(from <= written.length ? from : 0).toString()) ?? '(empty)';
};

const joinAt = async (directory: DataDirectory): ReturnType<typeof join> => {
  try {
    return await join(directory);
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL in ${directory.cluster} rejects the login; check whether its file postgres-password was changed.`,
      error,
    );
  }
};

/** Returns a function to call while a server recovers: after `delayMs`, it writes one line. */
const makeRecoveryNotice = (cluster: string, delayMs: number, writeError: (line: string) => void): (() => void) => {
  let since: number | undefined;
  let isWritten = false;
  return () => {
    since ??= Date.now();
    if (isWritten || Date.now() - since < delayMs) return;
    isWritten = true;
    writeError(`The embedded PostgreSQL in ${cluster} is still starting or recovers from a crash; waiting for it.`);
  };
};

/**
 * Joins the server of the directory, and starts one first if none runs. While a server reports its recovery, the call
 * waits without a limit, because a stopped recovery may begin anew, and says so by `writeError`.
 *
 * @throws OperatorError if the server does not start.
 */
export const joinOrStart = async (
  directory: DataDirectory,
  postgres: string,
  user: UnixUser | undefined,
  { limitMs = START_LIMIT_MS, noticeMs = RECOVERY_NOTICE_MS, writeError = console.error } = {},
): Promise<Presence> => {
  const { cluster, log } = directory;
  let failures = 0;
  let child: ChildProcess | undefined;
  let cause: unknown;
  const logSize = sizeOf(log);
  /** Stops the server that this call has started, because no process can use it. Leaves that of another process. */
  const fail = async (error: OperatorError): Promise<never> => {
    if (child?.pid !== undefined && postmasterOf(cluster) === child.pid) await stopPostmaster(cluster);
    // It may hang before it has written its PID file.
    child?.kill('SIGINT');
    throw error;
  };
  const noticeRecovery = makeRecoveryNotice(cluster, noticeMs, writeError);
  let until = Date.now() + limitMs;
  for (let hasTime = true; hasTime && failures < MAX_FAILED_STARTS; ) {
    const presence = await joinAt(directory).catch(fail);
    if (typeof presence === 'object') return presence;
    if (presence === 'recovering') {
      until = Date.now() + limitMs;
      noticeRecovery();
    }
    const starting = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    const running = postmasterOf(cluster);
    if (presence !== 'absent' || running !== undefined) {
      // Only a server that has finished its start is busy, so the files are intact. The one started here counts as
      // failing until it can be joined, and so does one that recovers: it may end before it has finished.
      if (presence === 'busy' && running !== child?.pid) failures = 0;
    } else if (!starting) {
      failures += 1;
      child = startPostmaster(cluster, { postgres, listen: await chooseListen(directory), log, user });
      child.on('error', (error) => {
        cause = error;
      });
    }
    await sleep(Math.min(5 * 2 ** failures, MAX_PAUSE_MS));
    hasTime = presence === 'recovering' || Date.now() < until;
  }
  const why = failures < MAX_FAILED_STARTS ? `accepted no connection within ${limitMs / 1000} s` : `does not start`;
  const evidence = `the last line of its log is "${findFailureLine(log, logSize)}" (${log})`;
  const remedy =
    failures < MAX_FAILED_STARTS
      ? 'if the machine is busy, start the program again'
      : 'free some space if the disk is full; if its files are damaged, restore a backup of DATA_DIR, or delete DATA_DIR to start again without its data';
  return fail(new OperatorError(`The embedded PostgreSQL in ${cluster} ${why}; ${evidence}; ${remedy}.`, cause));
};
