import type { Clock } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import { NOW } from '../limits/counter.ts';
import { oldestKey } from '../users/once.ts';

/** Rows that one statement deletes at most, so that none holds its locks for long. */
const BATCH = 1000;

const batchOf = (name: string, table: string, key: string, condition: string) => ({
  name: `purge-${name}`,
  text: `delete from ${table} where (${key}) in (
    select ${key} from ${table} where ${condition} limit ${BATCH} for update skip locked
  ) returning 1`,
});

const SESSIONS = batchOf('sessions', 'session', 'id', 'expires_at <= $1');
const TOKENS = batchOf('tokens', 'refresh_token', 'digest', 'expires_at <= $1');
const KEYS = batchOf('keys', 'idempotency_key', 'author, key', 'created_at <= $1');
// The limits follow the database's clock.
const LIMITS = batchOf('limits', 'login_limit', 'key', `expire <= ${NOW}`);

/** Deletes what has expired: sessions, refresh tokens, idempotency keys, login limits. The number of rows deleted. */
export const makePurge =
  (runner: Runner, clock: Clock): (() => Promise<number>) =>
  async () => {
    const now = clock.now();
    let gone = 0;
    for (const [statement, values] of [
      [SESSIONS, [now]],
      [TOKENS, [now]],
      [KEYS, [oldestKey(now)]],
      [LIMITS, []],
    ] as const) {
      let batch: number;
      do {
        batch = (await runner.query(statement, values)).length;
        gone += batch;
      } while (batch === BATCH);
    }
    return gone;
  };
