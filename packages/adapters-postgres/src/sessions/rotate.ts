import type { SessionRepository } from '@chapter/domain';
import { toInstant, toUser, USER_COLUMNS, type UserRow } from '../rows.ts';
import type { InTransaction } from '../transaction.ts';

const LOCK = {
  name: 'lock-session',
  text: `select id from session where id = (select session_id from refresh_token where digest = $1) for no key update`,
};
// A statement of its own: what it reads is what the lock has waited for.
const FIND = {
  name: 'find-token',
  text: `select t.session_id, t.spent_at, t.expires_at, ${USER_COLUMNS.join(', ')}
    from refresh_token t join session s on s.id = t.session_id join user_account u on u.id = s.user_id join division d on d.id = u.division_id
    where t.digest = $1`,
};
const SPEND = {
  name: 'spend-token',
  text: `with spent as (update refresh_token set spent_at = coalesce(spent_at, $2) where digest = $1),
      prolonged as (update session set expires_at = greatest(expires_at, $4) where id = $5)
    insert into refresh_token (digest, session_id, expires_at) values ($3, $5, $4)`,
};
const END = { name: 'end-reused-session', text: 'delete from session where id = $1' };

type TokenRow = readonly [sessionId: string, spentAt: string | null, expiresAt: string, ...UserRow];

/** See `SessionRepository.rotate`. */
export const makeRotate =
  (inTransaction: InTransaction): SessionRepository['rotate'] =>
  ({ digest, nextDigest, now, nextExpiresAt, grace }) =>
    inTransaction(async (tx) => {
      await tx.query(LOCK, [digest]);
      const [row] = await tx.query<TokenRow>(FIND, [digest]);
      if (!row) return null;
      const [sessionId, spentAt, expiresAt, ...stored] = row;
      const user = toUser(stored);
      if (toInstant(expiresAt) <= now) return null;
      const reused = spentAt !== null && Date.parse(now) - Date.parse(toInstant(spentAt)) > grace * 1000;
      if (reused) await tx.query(END, [sessionId]);
      if (reused || !user.isActive) return null;
      await tx.query(SPEND, [digest, now, nextDigest, nextExpiresAt, sessionId]);
      return { sessionId, user };
    });
