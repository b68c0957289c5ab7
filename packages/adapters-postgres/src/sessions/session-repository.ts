import { later, parseUuid, type SessionRepository } from '@chapter/domain';
import { queued, sharedLock } from '../connection/advisory-locks.ts';
import type { Runner } from '../connection/statement.ts';
import type { InTransaction } from '../connection/transaction.ts';
import { toInstant } from '../schema/rows.ts';
import { makeRotate } from './rotate.ts';

// The lock waits for a change of the password that is under way, and then compares with the new one. A later change waits
// for this statement, and then finds the session to end. The database's clock sets all times: $4 and $5 are seconds.
const START = {
  name: 'start-session',
  text: queued(
    [sharedLock('user', '$2')],
    `, checked as (
      select u.id from queued, user_account u where u.id = $2 and u.is_active and u.password_hash = $3 for share of u
    ), started as (
      insert into session (id, user_id, started_at, expires_at)
        select $1, id, now(), now() + least($4::float8, $5::float8) * interval '1 second' from checked
        returning id, started_at, expires_at
    ), stored as (
      insert into refresh_token (digest, session_id, expires_at) select $6, id, expires_at from started
    )
    select started_at, expires_at from started`,
  ),
};
const END = {
  name: 'end-session',
  text: 'delete from session where id = (select session_id from refresh_token where digest = $1)',
};

/** Sessions in PostgreSQL. Whoever writes a refresh token holds the lock of its session. */
export const makeSessionRepository = (runner: Runner, inTransaction: InTransaction): SessionRepository => ({
  start: async ({ id, userId, digest, lifetime, sessionLifetime }, checked) => {
    if (parseUuid(userId) === undefined) return null;
    const values = [id, userId, checked, lifetime, sessionLifetime, digest];
    const [row] = await runner.query<readonly [startedAt: string, expiresAt: string]>(START, values);
    if (!row) return null;
    const [storedAt, expiresAt] = [toInstant(row[0]), toInstant(row[1])];
    return { storedAt, expiresAt, sessionEndsAt: later(storedAt, sessionLifetime) };
  },
  rotate: makeRotate(inTransaction),
  end: async (digest) => {
    await runner.query(END, [digest]);
  },
});
