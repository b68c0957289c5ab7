import { forgottenBefore, judgeToken, type SessionRepository, tokenTimes } from '@chapter/domain';
import type { InTransaction } from '../connection/transaction.ts';
import { toInstant } from '../schema/mapping.ts';
import { END_ONE } from '../users/end-sessions.ts';
import { toUser } from '../users/user-rows.ts';
import { FIND_TOKEN, LOCK_SESSION, SPEND_TOKEN } from './rotation-statements.ts';

/** Makes the rotation of refresh tokens: consumes one and issues the next, or ends the session of a reused one. */
export const makeRotate =
  (inTransaction: InTransaction): SessionRepository['rotate'] =>
  ({ digest, family, nextDigest, ...lifetimes }) =>
    inTransaction(['refresh', family], async (tx) => {
      const [[sessionId] = []] = await LOCK_SESSION.run(tx, { digest, family });
      const [row] = sessionId === undefined ? [] : await FIND_TOKEN.run(tx, { digest, sessionId });
      if (!row || sessionId === undefined) return null;
      const [startedAt, since, refreshes, spentAt, spentBy, parent, expiresAt, databaseNow, issued, ...stored] = row;
      const user = toUser(stored);
      const now = toInstant(databaseNow);
      const times = tokenTimes(now, toInstant(startedAt), lifetimes);
      const presented = {
        token:
          expiresAt === null
            ? null
            : { expiresAt: toInstant(expiresAt), spentAt: spentAt && toInstant(spentAt), issued },
        sessionEndsAt: times.sessionEndsAt,
        counted: since === null ? null : { since: toInstant(since), refreshes: refreshes ?? 0 },
        isUserActive: user.isActive,
      };
      const judgement = judgeToken(presented, now);
      if (judgement === 'reused') await END_ONE.run(tx, { id: sessionId, owner: null });
      if (typeof judgement === 'string') return null;
      const next = { family, next: nextDigest, nextExpiresAt: times.expiresAt, sessionId, ...judgement };
      const spent = { digest, now, forgotten: forgottenBefore(now), spentBy: spentBy ?? digest, parent };
      await SPEND_TOKEN.run(tx, { ...spent, ...next });
      return { sessionId, user, ...times };
    });
