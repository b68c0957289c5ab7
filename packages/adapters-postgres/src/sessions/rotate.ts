import { judgeToken, type SessionRepository, tokenTimes } from '@chapter/domain';
import type { InTransaction } from '../connection/transaction.ts';
import { toInstant } from '../schema/mapping.ts';
import { toUser } from '../users/user-rows.ts';
import { END_REUSED_SESSION, FIND_TOKEN, LOCK_SESSION, SPEND_TOKEN } from './rotation-statements.ts';

/** Makes the rotation of refresh tokens: consumes one and issues the next, or ends the session of a reused one. */
export const makeRotate =
  (inTransaction: InTransaction): SessionRepository['rotate'] =>
  ({ digest, nextDigest, ...lifetimes }) =>
    inTransaction(async (tx) => {
      await LOCK_SESSION.run(tx, { digest });
      const [row] = await FIND_TOKEN.run(tx, { digest });
      if (!row) return null;
      const [sessionId, spentAt, spentBy, parent, expiresAt, startedAt, databaseNow, issued, ...stored] = row;
      const user = toUser(stored);
      const now = toInstant(databaseNow);
      const times = tokenTimes(now, toInstant(startedAt), lifetimes);
      const { sessionEndsAt } = times;
      const token = { expiresAt: toInstant(expiresAt), spentAt: spentAt && toInstant(spentAt), issued, sessionEndsAt };
      const judgement = judgeToken(token, now);
      if (judgement === 'reused') await END_REUSED_SESSION.run(tx, { id: sessionId });
      if (judgement !== 'accepted' || !user.isActive) return null;
      const next = { next: nextDigest, nextExpiresAt: times.expiresAt, sessionId };
      await SPEND_TOKEN.run(tx, { digest, now, spentBy: spentBy ?? digest, parent, ...next });
      return { sessionId, user, ...times };
    });
