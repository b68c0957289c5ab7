import type { Clock, Instant, PurgeResult } from '@chapter/domain/ports';
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

/** Makes the statement that deletes expired rows of a table with ids. */
const makePurgeById = (name: string, table: 'session' | 'personal_token') =>
  defineStatement(name, (value: Now) =>
    db
      .deleteFrom(table)
      .where('id', 'in', (eb) =>
        lockBatch(
          eb
            .selectFrom(table)
            .select('id')
            .where('expires_at', '<=', earlierNow(value('now'))),
        ),
      )
      .returning('id'),
  );

const STATEMENTS = {
  session: makePurgeById('purge-sessions', 'session'),
  refresh_token: defineStatement('purge-tokens', (value: Now) =>
    db
      .deleteFrom('refresh_token')
      .where('digest', 'in', (eb) =>
        lockBatch(
          eb
            .selectFrom('refresh_token')
            .select('digest')
            .where('expires_at', '<=', earlierNow(value('now'))),
        ),
      )
      .returning('digest'),
  ),
  idempotency_key: defineStatement('purge-keys', (value: Now) =>
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
              .where('created_at', '<=', sql<Instant>`${earlierNow(value('now'))} - ${IDEMPOTENCY_KEY_LIFETIME}`),
          ).$asTuple('author', 'key'),
        ),
      )
      .returning('key'),
  ),
  password_link: defineStatement('purge-password-links', (value: Now) =>
    db
      .deleteFrom('password_link')
      .where('user_id', 'in', (eb) =>
        lockBatch(
          eb
            .selectFrom('password_link')
            .select('user_id')
            .where('expires_at', '<=', earlierNow(value('now'))),
        ),
      )
      .returning('user_id'),
  ),
  personal_token: makePurgeById('purge-personal-tokens', 'personal_token'),
  login_limit: defineStatement('purge-limits', (value: Now) =>
    db
      .deleteFrom('login_limit')
      .where('key', 'in', (eb) =>
        lockBatch(
          eb
            .selectFrom('login_limit')
            .select('key')
            .where('expire', '<=', epochMilliseconds(earlierNow(value('now')))),
        ),
      )
      .returning('key'),
  ),
};

/**
 * Returns a function that deletes expired sessions, refresh tokens, idempotency keys, password links, personal access tokens and
 * login limits. A row must have expired by both clocks, the instance's and the database's. A table that fails does not stop the others.
 */
export const makePurge =
  (runner: Runner, clock: Clock): (() => Promise<PurgeResult>) =>
  async () => {
    const values = { now: clock.now() };
    const deleted: Record<string, number> = {};
    const failures: Record<string, string> = {};
    for (const [table, statement] of Object.entries(STATEMENTS)) {
      let rows = 0;
      try {
        for (let batch = MAX_ROWS_PER_STATEMENT; batch === MAX_ROWS_PER_STATEMENT; rows += batch) {
          batch = (await statement.run(runner, values)).length;
        }
      } catch (error) {
        failures[table] = String(error instanceof Error ? (error.cause ?? error) : error);
      }
      deleted[table] = rows;
    }
    return { deleted, failures };
  };
