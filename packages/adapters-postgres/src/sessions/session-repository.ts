import { parseUuid, type SessionRepository } from '@chapter/domain';
import type { Runner } from '../statement.ts';
import type { InTransaction } from '../transaction.ts';
import { makeRotate } from './rotate.ts';

// The lock on the user waits for whoever changes the password at this moment, and then compares with the new one; whoever
// comes to change it later waits for this, and then finds the session to end.
const START = {
  name: 'start-session',
  text: `with checked as (
      select id from user_account where id = $2 and is_active and password_hash = $3 for share
    ), started as (
      insert into session (id, user_id, started_at, expires_at) select $1, id, $4, $5 from checked returning id
    )
    insert into refresh_token (digest, session_id, expires_at) select $6, id, $5 from started returning session_id`,
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
