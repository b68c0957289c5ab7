import type { RequestTelemetry } from './request-telemetry.ts';

/** The minimum time between two log lines, so that a flood of connections does not flood the log. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Makes the listener that counts connections dropped at the limit. It logs the first at once. Afterwards it logs once a
 * minute how many were dropped, until a minute passes without one.
 */
export const makeDropListener = ({ log, metrics }: RequestTelemetry, maxConnections: number): (() => void) => {
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (dropped === 0) return;
    log.warn({ maxConnections, dropped }, 'connections dropped: MAX_CONNECTIONS reached');
    dropped = 0;
    timer = setTimeout(write, LOG_INTERVAL_MS).unref();
  };
  return () => {
    metrics?.dropped();
    dropped += 1;
    if (timer === undefined) write();
  };
};
