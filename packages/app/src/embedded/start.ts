import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../operator-error.ts';
import type { DataDirectory } from './data-directory.ts';
import { listenAnew, listenOf, urlOf } from './listen.ts';
import { postmasterOf, startPostmaster } from './postmaster.ts';
import { join, type Presence } from './presence.ts';
import type { UnixUser } from './unix-user.ts';

/** How long, in milliseconds, a server may take to answer, recovery after a crash included. */
const RECOVERY = 60_000;

/**
 * How many servers in a row may end as soon as they are started, before it is for a reason that stays. Others may be
 * starting or stopping one just now, or the last process of one that was killed may not have ended yet.
 */
const FAILURES = 12;

/** The longest pause, in milliseconds, before another start. */
const LONGEST_PAUSE = 400;

const lastWords = (log: string): string => {
  const fatal = /^.*?\b(FATAL|PANIC|ERROR): +/;
  const said = readFileSync(log, 'utf8')
    .split('\n')
    .findLast((line) => fatal.test(line));
  return said?.replace(fatal, '') ?? 'it gives no reason';
};

const joinAt = async (directory: DataDirectory): ReturnType<typeof join> => {
  try {
    return await join(urlOf(directory, listenOf(directory), 'postgres'));
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL in ${directory.cluster} lets nobody in: was postgres-password changed?`,
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
  for (const until = Date.now() + RECOVERY; failures < FAILURES && Date.now() < until; ) {
    const presence = await joinAt(directory);
    if (typeof presence === 'object') return presence;
    const starting = child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
    if (presence === 'busy' || postmasterOf(cluster) !== undefined) failures = 0;
    else if (!starting) {
      failures += 1;
      child = startPostmaster(cluster, { postgres, listen: await listenAnew(directory), log, user });
      child.on('error', (error) => {
        cause = error;
      });
    }
    await sleep(Math.min(5 * 2 ** failures, LONGEST_PAUSE));
  }
  const why = `does not start: ${lastWords(log)} (${log})`;
  throw new OperatorError(`The embedded PostgreSQL in ${cluster} ${why}`, cause);
};
