import type { Database } from '@chapter/adapters-postgres';
import type { Logger } from 'pino';

/** Milliseconds between two rounds. */
const PURGE_INTERVAL_MS = 10 * 60 * 1000;

/** Deletes what has expired now and then, until it is stopped. A round that fails is no harm: the next one comes. */
export const startPurging = ({ purge }: Pick<Database, 'purge'>, log: Logger): (() => Promise<void>) => {
  let running: Promise<unknown> = Promise.resolve();
  const round = (): void => {
    running = purge().then(
      (rows) => log.debug({ rows }, 'expired rows deleted'),
      () => log.warn('expired rows could not be deleted'),
    );
  };
  const timer = setInterval(round, PURGE_INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
};
