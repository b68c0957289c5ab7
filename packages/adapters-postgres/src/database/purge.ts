import type { Clock, Instant } from '@chapter/domain';
import { type Expression, type SelectQueryBuilder, sql } from 'kysely';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { epochMilliseconds } from '../limits/counter.ts';
import { db } from '../schema/tables.ts';
import { IDEMPOTENCY_KEY_LIFETIME } from '../users/idempotency-key.ts';

/** Maximum number of rows that one statement deletes, so that no statement holds its locks for long. */
const MAX_ROWS_PER_STATEMENT = 1000;

/** Returns SQL for the earlier of the database's time and `now`, the instance's: a fast clock deletes no valid row. */
const earlierNow = (now: Expression<Instant>) => sql<Instant>`least(now(), ${now}::timestamptz)`;

type Now = Parameters<{ now: Instant }>;

/** Limits a query to the rows of one statement, and skips rows that another transaction holds. */
const lockBatch = <Tables, Table extends keyof Tables, Row>(query: SelectQueryBuilder<Tables, Table, Row>) =>
  query.limit(sql.lit(MAX_ROWS_PER_STATEMENT)).forUpdate().skipLocked();

const STATEMENTS = [
  defineStatement('purge-sessions', ({ now }: Now) =>
    db
      .deleteFrom('session')
      .where('id', 'in', (eb) =>
        lockBatch(eb.selectFrom('session').select('id').where('expires_at', '<=', earlierNow(now))),
      )
      .returning('id'),
  ),
  defineStatement('purge-tokens', ({ now }: Now) =>
    db
      .deleteFrom('refresh_token')
      .where('digest', 'in', (eb) =>
        lockBatch(eb.selectFrom('refresh_token').select('digest').where('expires_at', '<=', earlierNow(now))),
      )
      .returning('digest'),
  ),
  defineStatement('purge-keys', ({ now }: Now) =>
    db
      .deleteFrom('idempotency_key')
      .where((eb) =>
        eb(
          eb.refTuple('author', 'key'),
          'in',
          lockBatch(
            eb
              .selectFrom('idempotency_key')
              .select(['author', 'key'])
              .where('created_at', '<=', sql<Instant>`${earlierNow(now)} - ${IDEMPOTENCY_KEY_LIFETIME}`),
          ).$asTuple('author', 'key'),
        ),
      )
      .returning('key'),
  ),
  defineStatement('purge-password-links', ({ now }: Now) =>
    db
      .deleteFrom('password_link')
      .where('user_id', 'in', (eb) =>
        lockBatch(eb.selectFrom('password_link').select('user_id').where('expires_at', '<=', earlierNow(now))),
      )
      .returning('user_id'),
  ),
  defineStatement('purge-limits', ({ now }: Now) =>
    db
      .deleteFrom('login_limit')
      .where('key', 'in', (eb) =>
        lockBatch(
          eb
            .selectFrom('login_limit')
            .select('key')
            .where('expire', '<=', epochMilliseconds(earlierNow(now))),
        ),
      )
      .returning('key'),
  ),
];

/**
 * Returns a function that deletes expired sessions, refresh tokens, idempotency keys, password links and login limits. A row
 * must have expired by both clocks, the instance's and the database's. The function returns the number of deleted rows.
 */
export const makePurge =
  (runner: Runner, clock: Clock): (() => Promise<number>) =>
  async () => {
    const values = { now: clock.now() };
    let deleted = 0;
    for (const statement of STATEMENTS) {
      let batch: number;
      do {
        batch = (await statement.run(runner, values)).length;
        deleted += batch;
      } while (batch === MAX_ROWS_PER_STATEMENT);
    }
    return deleted;
  };
