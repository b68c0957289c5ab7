import { type Clock, type DatabaseHealth, HEALTH_CHECK_TIMEOUT_MS, unavailable } from '@chapter/domain';
import type { Pool, PoolClient } from 'pg';
import { translateError } from '../connection/errors.ts';
import { streamOf } from '../connection/pool.ts';
import { runOn } from '../connection/statement.ts';
import { MIGRATION_TABLE, MIGRATIONS } from '../schema/migrations/index.ts';

const CHECK = {
  name: 'check-health',
  text: `select pg_is_in_recovery(), current_setting('transaction_read_only')::boolean,
    (extract(epoch from now()) * 1000)::float8,
    (select count(*)::int from "${MIGRATION_TABLE}" where name = any($1::text[]))`,
};

type HealthRow = readonly [isInRecovery: boolean, isReadOnly: boolean, now: number, applied: number];

/** Runs the check on a connection and releases it. */
const check = async (client: PoolClient, clock: Clock, acceptsWrites: () => boolean): Promise<DatabaseHealth> => {
  try {
    const sent = Date.parse(clock.now());
    const [row] = await runOn<HealthRow>(client, CHECK, [MIGRATIONS]);
    const received = Date.parse(clock.now());
    if (!row) throw new Error('the health check returned no row');
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
    throw error;
  }
};

/**
 * Returns a function that checks the database with one statement. The clock difference assumes that the database's `now()`
 * is in the middle of the round trip. The function throws DomainError `unavailable` if the response takes too long.
 * `pool` has one connection, used only for checks, so that a check never waits for the service's connections.
 */
export const makeHealth =
  (pool: Pool, clock: Clock, acceptsWrites: () => boolean): (() => Promise<DatabaseHealth>) =>
  async () => {
    const connecting = pool.connect();
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(unavailable(new Error(`the health check took longer than ${HEALTH_CHECK_TIMEOUT_MS} ms`)));
      connecting.then(
        (client) => streamOf(client).destroy(),
        () => {},
      );
    }, HEALTH_CHECK_TIMEOUT_MS);
    try {
      return await Promise.race([connecting.then((client) => check(client, clock, acceptsWrites)), late]);
    } catch (error) {
      throw translateError(error);
    } finally {
      clearTimeout(timer);
    }
  };
