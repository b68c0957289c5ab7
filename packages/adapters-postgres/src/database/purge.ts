import type { Clock } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import { epochMilliseconds } from '../limits/counter.ts';
import { KEY_LIFETIME } from '../users/once.ts';

/** Rows that one statement deletes at most, so that none holds its locks for long. */
const BATCH = 1000;

const batchOf = (name: string, table: string, key: string, condition: string) => ({
  name: `purge-${name}`,
  text: `delete from ${table} where (${key}) in (
    select ${key} from ${table} where ${condition} limit ${BATCH} for update skip locked
  ) returning 1`,
});

/** The time by the clock that is behind: $1 is the instance's. Where one clock is wrong, what still counts is kept. */
const EARLIER_NOW = 'least(now(), $1::timestamptz)';

const STATEMENTS = [
  batchOf('sessions', 'session', 'id', `expires_at <= ${EARLIER_NOW}`),
  batchOf('tokens', 'refresh_token', 'digest', `expires_at <= ${EARLIER_NOW}`),
  batchOf('keys', 'idempotency_key', 'author, key', `created_at <= ${EARLIER_NOW} - ${KEY_LIFETIME}`),
  batchOf('limits', 'login_limit', 'key', `expire <= ${epochMilliseconds(EARLIER_NOW)}`),
];

/**
 * Returns a function that deletes what has expired by both clocks, the instance's and the database's: sessions, refresh
 * tokens, idempotency keys, login limits. It returns the number of rows deleted.
 */
export const makePurge =
  (runner: Runner, clock: Clock): (() => Promise<number>) =>
  async () => {
    const values = [clock.now()];
    let gone = 0;
    for (const statement of STATEMENTS) {
      let batch: number;
      do {
        batch = (await runner.query(statement, values)).length;
        gone += batch;
      } while (batch === BATCH);
    }
    return gone;
  };
