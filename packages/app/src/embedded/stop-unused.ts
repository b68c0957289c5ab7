// Stops the embedded PostgreSQL of a data directory (the only argument) unless another process uses it.
import { setTimeout as sleep } from 'node:timers/promises';
import { directoryOf } from './data-directory.ts';
import { joinStarting } from './join.ts';
import { stopPostmaster } from './postmaster.ts';

/** Milliseconds within which PostgreSQL notices that an ended process has closed its connection. */
const LEAVE_MS = 30_000;
const POLL_INTERVAL_MS = 50;

const directory = directoryOf(process.argv[2] ?? '');
const presence = await joinStarting(directory);
if (presence) {
  let isLast = await presence.leave();
  for (const until = Date.now() + LEAVE_MS; !isLast && Date.now() < until; isLast = await presence.leave()) {
    await sleep(POLL_INTERVAL_MS);
  }
  if (isLast) await stopPostmaster(directory.cluster);
  await presence.end();
}
