// Stops the embedded PostgreSQL of a data directory (the only argument) unless another process uses it.
import { setTimeout as sleep } from 'node:timers/promises';
import { directoryOf } from './data-directory.ts';
import { databaseUrl, listenOf } from './listen.ts';
import { postmasterOf, stopPostmaster } from './postmaster.ts';
import { join, type Presence } from './presence.ts';

/** Milliseconds within which a server that is being started writes its PID file. */
const START_MS = 5000;
/** Milliseconds within which a server finishes starting or stopping, including recovery. */
const RECOVERY_MS = 60_000;
/** Milliseconds within which PostgreSQL notices that an ended process has closed its connection. */
const LEAVE_MS = 30_000;
const POLL_INTERVAL_MS = 50;

const directory = directoryOf(process.argv[2] ?? '');
const { cluster } = directory;

const findServer = async (): Promise<Presence | undefined> => {
  const began = Date.now();
  for (let limit = START_MS; Date.now() - began < limit; await sleep(POLL_INTERVAL_MS)) {
    const presence = await join(databaseUrl(directory, listenOf(directory), 'postgres'));
    if (typeof presence === 'object') return presence;
    limit = postmasterOf(cluster) === undefined ? START_MS : RECOVERY_MS;
  }
  return undefined;
};

const presence = await findServer();
if (presence) {
  let isLast = await presence.leave();
  for (const until = Date.now() + LEAVE_MS; !isLast && Date.now() < until; isLast = await presence.leave()) {
    await sleep(POLL_INTERVAL_MS);
  }
  if (isLast) await stopPostmaster(cluster);
  await presence.end();
}
