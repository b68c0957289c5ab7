import { judgeToken, type SessionRepository, tokenTimes } from '@chapter/domain';
import type { InTransaction } from '../connection/transaction.ts';
import { toInstant, toUser, USER_COLUMNS, type UserRow } from '../schema/rows.ts';

const LOCK = {
  name: 'lock-session',
  text: `select id from session where id = (select session_id from refresh_token where digest = $1) for no key update`,
};
// A statement of its own: what it reads is what the lock has waited for. `now()` has the precision of the columns, so that
// what is compared with it is what was stored.
const FIND = {
  name: 'find-token',
  text: `select t.session_id, t.spent_at, t.spent_by, t.parent, t.expires_at, s.started_at, now()::timestamptz(3),
      (select count(*)::int from refresh_token c where c.parent = coalesce(t.spent_by, t.digest)), ${USER_COLUMNS.join(', ')}
    from refresh_token t join session s on s.id = t.session_id join user_account u on u.id = s.user_id join division d on d.id = u.division_id
    where t.digest = $1`,
};
// Where a sibling of the next token was used already, the next token is consumed from the start.
const SPEND = {
  name: 'spend-token',
  text: `with spent as (
      update refresh_token set spent_at = $2, spent_by = $3 where (digest = $1 or parent = $4) and spent_at is null
    ), prolonged as (update session set expires_at = greatest(expires_at, $6) where id = $7)
    insert into refresh_token (digest, session_id, expires_at, parent, spent_at, spent_by)
      select $5, $7, $6, $3, used.spent_at, used.spent_by
      from (select 1) one left join (
        select spent_at, spent_by from refresh_token where parent = $3 and spent_at is not null order by spent_at limit 1
      ) used on true`,
};
const END = { name: 'end-reused-session', text: 'delete from session where id = $1' };

type TokenRow = readonly [
  sessionId: string,
  spentAt: string | null,
  spentBy: string | null,
  parent: string | null,
  expiresAt: string,
  startedAt: string,
  now: string,
  issued: number,
  ...UserRow,
];

/** See `SessionRepository.rotate`. */
export const makeRotate =
  (inTransaction: InTransaction): SessionRepository['rotate'] =>
  ({ digest, nextDigest, ...lifetimes }) =>
    inTransaction(async (tx) => {
      await tx.query(LOCK, [digest]);
      const [row] = await tx.query<TokenRow>(FIND, [digest]);
      if (!row) return null;
      const [sessionId, spentAt, spentBy, parent, expiresAt, startedAt, databaseNow, issued, ...stored] = row;
      const user = toUser(stored);
      const now = toInstant(databaseNow);
      const times = tokenTimes(now, toInstant(startedAt), lifetimes);
      const { sessionEndsAt } = times;
      const token = { expiresAt: toInstant(expiresAt), spentAt: spentAt && toInstant(spentAt), issued, sessionEndsAt };
      const judgement = judgeToken(token, now);
      if (judgement === 'reused') await tx.query(END, [sessionId]);
      if (judgement !== 'accepted' || !user.isActive) return null;
      await tx.query(SPEND, [digest, now, spentBy ?? digest, parent, nextDigest, times.expiresAt, sessionId]);
      return { sessionId, user, ...times };
    });
