import type { RequestRecord } from './request-record.ts';

/** At most one line in this time: a flood of connections must not become a flood of log lines. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Makes the listener that counts connections dropped at the limit. It logs the first at once, and then once a minute how
 * many were dropped since, until a minute passes without one.
 */
export const makeDropListener = ({ log, metrics }: RequestRecord, maxConnections: number): (() => void) => {
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (dropped === 0) return;
    log.warn({ maxConnections, dropped }, 'connections were dropped because MAX_CONNECTIONS are open');
    dropped = 0;
    timer = setTimeout(write, LOG_INTERVAL_MS).unref();
  };
  return () => {
    metrics?.dropped();
    dropped += 1;
    if (timer === undefined) write();
  };
};
