import type { Clock, Instant, PurgeResult } from '@chapter/domain/ports';
import { type Expression, sql } from 'kysely';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { epochMilliseconds } from '../limits/counter.ts';
import { db } from '../schema/tables.ts';
import { IDEMPOTENCY_KEY_LIFETIME } from '../users/idempotency-key.ts';

/** Maximum number of rows that one statement deletes, so that no statement holds its locks for long. */
const MAX_ROWS_PER_STATEMENT = 1000;

/** Returns SQL for the earlier of the database's time and `now`, the instance's: a fast clock deletes no valid row. */
const earlierNow = (now: Expression<Instant>) => sql<Instant>`least(now(), ${now}::timestamptz)`;

const HOUR_AGO = sql<Instant>`(now() - interval '1 hour')`;

type Now = Parameters<{ now: Instant }>;

const hasExpired = (now: Expression<Instant>) => sql<boolean>`expires_at <= ${now}`;

/**
 * Makes the statement that deletes a batch of expired rows of a table, and skips rows that another transaction holds;
 * with SQL for the name of the table if it has rows that the purge should have deleted long ago.
 */
const makeBatch = (
  name: string,
  table: 'session' | 'refresh_token' | 'idempotency_key' | 'password_link' | 'personal_token' | 'login_limit',
  primaryKey: string,
  isExpired: (now: Expression<Instant>) => Expression<boolean> = hasExpired,
) => ({
  statement: defineStatement(name, (value: Now) =>
    db
      .deleteFrom(table)
      .where(
        sql<boolean>`(${sql.raw(primaryKey)}) in (
          select ${sql.raw(primaryKey)} from ${sql.table(table)} where ${isExpired(earlierNow(value('now')))}
           limit ${sql.lit(MAX_ROWS_PER_STATEMENT)} for update skip locked)`,
      )
      .returning(sql.lit(1).as('deleted')),
  ),
  overdue: sql`case when exists (select from ${sql.table(table)} where ${isExpired(HOUR_AGO)}) then ${sql.lit(table)} end`,
});

const TABLES = {
  session: makeBatch('purge-sessions', 'session', 'id'),
  refresh_token: makeBatch('purge-tokens', 'refresh_token', 'digest'),
  idempotency_key: makeBatch(
    'purge-keys',
    'idempotency_key',
    'author, key',
    (now) => sql`created_at <= ${now} - ${IDEMPOTENCY_KEY_LIFETIME}`,
  ),
  password_link: makeBatch('purge-password-links', 'password_link', 'user_id'),
  personal_token: makeBatch('purge-personal-tokens', 'personal_token', 'id'),
  login_limit: makeBatch('purge-limits', 'login_limit', 'key', (now) => sql`expire <= ${epochMilliseconds(now)}`),
};

/** Selects the tables that have rows which expired more than an hour ago, separated by commas. */
export const OVERDUE = defineStatement(
  'find-overdue',
  () => {
    const overdue = sql.join(Object.values(TABLES).map((table) => table.overdue));
    return db.selectNoFrom(sql<string>`array_to_string(array[${overdue}], ', ')`.as('tables'));
  },
  { columns: ['tables'] },
);

/**
 * Returns a function that deletes expired sessions, refresh tokens, idempotency keys, password links, personal tokens
 * and login limits. Rows must have expired by the clocks of instance and database. A table that fails stops no other.
 */
export const makePurge =
  (runner: Runner, clock: Clock): (() => Promise<PurgeResult>) =>
  async () => {
    const values = { now: clock.now() };
    const deleted: Record<string, number> = {};
    const failures: Record<string, string> = {};
    for (const [table, { statement }] of Object.entries(TABLES)) {
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
