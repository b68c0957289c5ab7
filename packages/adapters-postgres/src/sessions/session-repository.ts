import { parseUuid, type SessionRepository } from '@chapter/domain';
import { queued, sharedLock } from '../connection/advisory-locks.ts';
import type { Runner } from '../connection/statement.ts';
import type { InTransaction } from '../connection/transaction.ts';
import { makeRotate } from './rotate.ts';

// The lock waits for a change of the password that is under way, and then compares with the new one. A later change waits
// for this statement, and then finds the session to end.
const START = {
  name: 'start-session',
  text: queued(
    [sharedLock('user', '$2')],
    `, checked as (
      select u.id from queued, user_account u where u.id = $2 and u.is_active and u.password_hash = $3 for share of u
    ), started as (
      insert into session (id, user_id, started_at, expires_at) select $1, id, $4, $5 from checked returning id
    )
    insert into refresh_token (digest, session_id, expires_at) select $6, id, $5 from started returning session_id`,
  ),
};
const END = {
  name: 'end-session',
  text: 'delete from session where id = (select session_id from refresh_token where digest = $1)',
};

/** Sessions in PostgreSQL. Whoever writes a refresh token holds the lock of its session. */
export const makeSessionRepository = (runner: Runner, inTransaction: InTransaction): SessionRepository => ({
  start: async ({ id, userId, digest, startedAt, expiresAt }, checked) => {
    if (parseUuid(userId) === undefined) return false;
    return (await runner.query(START, [id, userId, checked, startedAt, expiresAt, digest])).length > 0;
  },
  rotate: makeRotate(inTransaction),
  end: async (digest) => {
    await runner.query(END, [digest]);
  },
});
