import { setTimeout as sleep } from 'node:timers/promises';
import type { DataDirectory } from './data-directory.ts';
import { databaseUrl, listenOf } from './listen.ts';
import { postmasterOf } from './postmaster.ts';
import { join, type Presence } from './presence.ts';

/** Milliseconds within which a server that is being started writes its PID file. */
const PID_FILE_MS = 5000;
/** Milliseconds within which a server finishes starting or stopping, not counting its recovery. */
const TRANSITION_MS = 60_000;
const JOIN_INTERVAL_MS = 50;

/**
 * Joins the server of the directory, also if another process is starting it. Waits without a limit while it recovers. Returns
 * undefined if none runs, or if it neither starts nor stops in time.
 *
 * @throws the server's error if it rejects the login.
 */
export const joinStarting = async (
  directory: DataDirectory,
  { pidFileMs = PID_FILE_MS, transitionMs = TRANSITION_MS } = {},
): Promise<Presence | undefined> => {
  for (let began = Date.now(); ; await sleep(JOIN_INTERVAL_MS)) {
    const presence = await join(databaseUrl(directory, listenOf(directory), 'postgres'));
    if (typeof presence === 'object') return presence;
    const limit = postmasterOf(directory.cluster) === undefined ? pidFileMs : transitionMs;
    if (presence === 'recovering') began = Date.now();
    else if (Date.now() - began >= limit) return undefined;
  }
};
