import type { Database } from '@chapter/adapters-postgres';
import type { Logger } from 'pino';

/** Milliseconds between two purges. */
const PURGE_INTERVAL_MS = 10 * 60 * 1000;

/** Deletes expired rows periodically until it is stopped. A failed purge is logged, and the next one deletes its rows. */
export const startPurging = ({ purge }: Pick<Database, 'purge'>, log: Logger): (() => Promise<void>) => {
  let running: Promise<unknown> = Promise.resolve();
  const purgeOnce = (): void => {
    running = purge().then(
      (rows) => log.debug({ rows }, 'expired rows deleted'),
      () => log.warn('cannot delete expired rows; the next purge tries again'),
    );
  };
  const timer = setInterval(purgeOnce, PURGE_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
};
