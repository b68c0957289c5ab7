import type { Clock } from '@chapter/domain';
import type { Pool } from 'pg';
import { translateError } from '../connection/errors.ts';
import { streamOf } from '../connection/pool.ts';
import { runOn } from '../connection/statement.ts';
import { MIGRATION_TABLE, MIGRATIONS } from '../schema/migrations/index.ts';
import type { DatabaseHealth } from './database-health.ts';

/** Milliseconds after which a check without an answer gives its connection up. */
const CHECK_TIMEOUT_MS = 2000;

const CHECK = {
  name: 'check-health',
  text: `select pg_is_in_recovery(), current_setting('transaction_read_only')::boolean,
    (extract(epoch from now()) * 1000)::float8,
    (select count(*)::int from "${MIGRATION_TABLE}" where name = any($1::text[]))`,
};

type HealthRow = readonly [isInRecovery: boolean, isReadOnly: boolean, now: number, applied: number];

/**
 * Returns a function that checks the database with one statement, which takes the moment in the middle of the round trip
 * for the database's `now()`. It throws DomainError `unavailable` where the database does not answer.
 */
export const makeHealth =
  (pool: Pool, clock: Clock, acceptsWrites: () => boolean): (() => Promise<DatabaseHealth>) =>
  async () => {
    const client = await pool.connect().catch((error: unknown) => {
      throw translateError(error);
    });
    // Checks go on while the server is silent; without a limit of their own they would take all connections.
    const timer = setTimeout(() => streamOf(client).destroy(), CHECK_TIMEOUT_MS);
    try {
      const sent = Date.parse(clock.now());
      const [row] = await runOn<HealthRow>(client, CHECK, [MIGRATIONS]);
      const received = Date.parse(clock.now());
      if (!row) throw new Error('the health check has returned no row');
      client.release();
      const [isInRecovery, isReadOnly, databaseNow, applied] = row;
      const reads = !isInRecovery && applied === MIGRATIONS.length;
      return {
        reads,
        writes: reads && !isReadOnly && acceptsWrites(),
        clockDifferenceMs: databaseNow - (sent + received) / 2,
      };
    } catch (error) {
      client.release(true);
      throw translateError(error);
    } finally {
      clearTimeout(timer);
    }
  };
