import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../errors/operator-error.ts';
import type { DataDirectory } from './data-directory.ts';
import { databaseUrl, listenAnew, listenOf } from './listen.ts';
import { postmasterOf, sizeOf, startPostmaster, stopPostmaster } from './postmaster.ts';
import { join, type Presence } from './presence.ts';
import type { UnixUser } from './unix-user.ts';

/** How long, in milliseconds, a server may take to answer, recovery after a crash included. */
const START_LIMIT_MS = 60_000;

/**
 * How many servers in a row may end as soon as they are started, before it is for a reason that stays. Others may be
 * starting or stopping one just now, or the last process of one that was killed may not have ended yet.
 */
const MAX_FAILED_STARTS = 12;

/** The longest pause, in milliseconds, before another start. */
const MAX_PAUSE_MS = 400;

/** The line in which PostgreSQL says why it does not start. `from` is the size that its log had before, in bytes. */
const lastWords = (log: string, from: number): string => {
  const prefix = /^.*?\b(FATAL|PANIC|ERROR): +/;
  const written = readFileSync(log);
  // The log may have begun anew.
  const lines = written
    .subarray(from <= written.length ? from : 0)
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '');
  // Not every fault has a severity: what is found before the server reads its settings is printed as it is.
  const line = lines.findLast((candidate) => prefix.test(candidate)) ?? lines.at(-1);
  return line?.replace(prefix, '').trim() ?? 'nothing';
};

const joinAt = async (directory: DataDirectory): ReturnType<typeof join> => {
  try {
    return await join(databaseUrl(directory, listenOf(directory), 'postgres'));
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL in ${directory.cluster} refuses the login: was postgres-password changed?`,
      error,
    );
  }
};

/**
 * Joins the server of the directory, whoever started it; where none runs, starts it first.
 *
 * @throws OperatorError where it does not come up.
 */
export const joinOrStart = async (
  directory: DataDirectory,
  postgres: string,
  user: UnixUser | undefined,
): Promise<Presence> => {
  const { cluster, log } = directory;
  let failures = 0;
  let child: ChildProcess | undefined;
  let cause: unknown;
  const logSize = sizeOf(log);
  /** Stops what this call has started and no process can use. */
  const fail = async (error: OperatorError): Promise<never> => {
    if (child) await stopPostmaster(cluster);
    throw error;
  };
  for (const until = Date.now() + START_LIMIT_MS; failures < MAX_FAILED_STARTS && Date.now() < until; ) {
    const presence = await joinAt(directory).catch(fail);
    if (typeof presence === 'object') return presence;
    const starting = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    const running = postmasterOf(cluster);
    if (presence === 'busy' || running !== undefined) {
      // Another process may succeed. What this one has started can still fail, for as long as it cannot be joined.
      if (running !== child?.pid) failures = 0;
    } else if (!starting) {
      failures += 1;
      child = startPostmaster(cluster, { postgres, listen: await listenAnew(directory), log, user });
      child.on('error', (error) => {
        cause = error;
      });
    }
    await sleep(Math.min(5 * 2 ** failures, MAX_PAUSE_MS));
  }
  const remedy =
    'if its files are damaged, restore a backup of DATA_DIR, or delete DATA_DIR to begin anew without its data';
  const why = `does not start; its last line is "${lastWords(log, logSize)}" (${log}); ${remedy}`;
  return fail(new OperatorError(`The embedded PostgreSQL in ${cluster} ${why}.`, cause));
};
