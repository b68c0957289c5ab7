import { judgeToken } from '../../model/refresh-token-rules.ts';
import type { SessionRepository } from '../../ports/session-repository.ts';
import { later, tokenTimes } from '../../use-cases/steps/session.ts';
import { type Store, userOf } from './store.ts';

/** The session repository in memory. */
export const makeInMemorySessions = (store: Store): SessionRepository => ({
  start: ({ id, userId, digest, ...lifetimes }, checked) =>
    store.exclusive(() => {
      const user = store.users.get(userId);
      if (!user?.isActive || user.passwordHash !== checked) return null;
      const now = store.clock.now();
      const times = tokenTimes(now, now, lifetimes);
      store.sessions.set(id, { userId, startedAt: now });
      store.tokens.set(digest, {
        sessionId: id,
        expiresAt: times.expiresAt,
        spentAt: null,
        spentBy: null,
        parent: null,
      });
      return times;
    }),

  rotate: ({ digest, nextDigest, ...lifetimes }) =>
    store.exclusive(() => {
      const now = store.clock.now();
      const token = store.tokens.get(digest);
      const session = token && store.sessions.get(token.sessionId);
      const user = session && store.users.get(session.userId);
      if (!token || !user) return null;
      const { sessionId, spentAt, expiresAt } = token;
      const sessionEndsAt = later(session.startedAt, lifetimes.sessionLifetime);
      const spentBy = token.spentBy ?? digest;
      const siblingsOfNext = [...store.tokens.values()].filter(({ parent }) => parent === spentBy);
      const issued = siblingsOfNext.length;
      const judgement = judgeToken({ expiresAt, spentAt, issued, sessionEndsAt }, now);
      if (judgement === 'reused') store.sessions.delete(sessionId);
      if (judgement !== 'accepted' || !user.isActive) return null;
      for (const [key, other] of store.tokens) {
        const isSibling = key === digest || (token.parent !== null && other.parent === token.parent);
        if (isSibling && other.spentAt === null) store.tokens.set(key, { ...other, spentAt: now, spentBy });
      }
      const times = tokenTimes(now, session.startedAt, lifetimes);
      // Where a sibling was used already, the next token is consumed from the start.
      const used = siblingsOfNext.find((sibling) => sibling.spentAt !== null);
      store.tokens.set(nextDigest, {
        sessionId,
        expiresAt: times.expiresAt,
        spentAt: used?.spentAt ?? null,
        spentBy: used?.spentBy ?? null,
        parent: spentBy,
      });
      return { sessionId, user: userOf(store, user), ...times };
    }),

  end: (digest) =>
    store.exclusive(() => {
      const token = store.tokens.get(digest);
      if (token) store.sessions.delete(token.sessionId);
    }),
});
