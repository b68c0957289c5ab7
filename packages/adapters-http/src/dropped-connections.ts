import type { RequestRecord } from './edge.ts';

/** At most one line in this time: a flood of connections must not become a flood of log lines. */
const LOG_INTERVAL_MS = 60_000;

/** Makes the listener that counts connections dropped at the limit, and logs their number once a minute at most. */
export const makeDropListener = (
  { log, metrics }: RequestRecord,
  maxConnections: number,
  now: () => number = () => performance.now(),
): (() => void) => {
  let dropped = 0;
  let nextLogAt = now();
  return () => {
    metrics?.dropped();
    dropped += 1;
    if (now() < nextLogAt) return;
    log.warn({ maxConnections, dropped }, 'connections were dropped because MAX_CONNECTIONS are open');
    dropped = 0;
    nextLogAt = now() + LOG_INTERVAL_MS;
  };
};
