import { judgeToken } from '../../model/refresh-token-rules.ts';
import { SESSION_RULES, type SessionId } from '../../model/session.ts';
import type { UserId } from '../../model/user.ts';
import type { SessionRepository, StoredSession } from '../../ports/session-repository.ts';
import { addSeconds, tokenTimes } from '../../use-cases/steps/session.ts';
import { endSessionsOf, isActiveSession, noteActivity, type Store, sessionsOf, userOf } from './store.ts';

const newestFirst = (one: StoredSession, other: StoredSession): number =>
  other.createdAt.localeCompare(one.createdAt) || other.id.localeCompare(one.id);

const lastRefreshedFirst = (one: StoredSession, other: StoredSession): number =>
  other.refreshedAt.localeCompare(one.refreshedAt) || other.id.localeCompare(one.id);

/** Returns the active sessions of a user, newest first. */
export const activeSessionsOf = (store: Store, userId: UserId): readonly StoredSession[] =>
  sessionsOf(store, userId)
    .filter(({ id }) => isActiveSession(store, id))
    .toSorted(newestFirst);

// A login never ends its own session, even if other sessions were refreshed at the same instant.
const endExcess = (store: Store, userId: UserId, newId: SessionId): void => {
  const others = activeSessionsOf(store, userId).filter(({ id }) => id !== newId);
  const excess = others.toSorted(lastRefreshedFirst).slice(SESSION_RULES.maxPerUser - 1);
  for (const { id } of excess) store.sessions.delete(id);
};

/** Returns an in-memory session repository. */
export const makeInMemorySessions = (store: Store): SessionRepository => ({
  start: ({ id, userId, digest, userAgent, ...lifetimes }, checked) =>
    store.exclusive(() => {
      const user = store.users.get(userId);
      if (!user?.isActive || user.passwordHash !== checked) return null;
      const now = store.clock.now();
      const times = tokenTimes(now, now, lifetimes);
      store.sessions.set(id, { userId, startedAt: now, refreshedAt: now, userAgent });
      store.refreshTokens.set(digest, {
        sessionId: id,
        expiresAt: times.expiresAt,
        spentAt: null,
        spentBy: null,
        parent: null,
      });
      noteActivity(store, userId);
      endExcess(store, userId, id);
      return times;
    }),

  rotate: ({ digest, nextDigest, ...lifetimes }) =>
    store.exclusive(() => {
      const now = store.clock.now();
      const token = store.refreshTokens.get(digest);
      const session = token && store.sessions.get(token.sessionId);
      const user = session && store.users.get(session.userId);
      if (!token || !user) return null;
      const { sessionId, spentAt, expiresAt } = token;
      const sessionEndsAt = addSeconds(session.startedAt, lifetimes.sessionLifetime);
      const spentBy = token.spentBy ?? digest;
      const siblingsOfNext = [...store.refreshTokens.values()].filter(({ parent }) => parent === spentBy);
      const issued = siblingsOfNext.length;
      const verdict = judgeToken({ expiresAt, spentAt, issued, sessionEndsAt }, now);
      if (verdict === 'reused') store.sessions.delete(sessionId);
      if (verdict !== 'accepted' || !user.isActive) return null;
      for (const [key, other] of store.refreshTokens) {
        const isSibling = key === digest || (token.parent !== null && other.parent === token.parent);
        if (isSibling && other.spentAt === null) store.refreshTokens.set(key, { ...other, spentAt: now, spentBy });
      }
      const times = tokenTimes(now, session.startedAt, lifetimes);
      store.sessions.set(sessionId, { ...session, refreshedAt: now });
      noteActivity(store, session.userId);
      // If a sibling was used already, the next token counts as consumed from the start.
      const used = siblingsOfNext.find((sibling) => sibling.spentAt !== null);
      store.refreshTokens.set(nextDigest, {
        sessionId,
        expiresAt: times.expiresAt,
        spentAt: used?.spentAt ?? null,
        spentBy: used?.spentBy ?? null,
        parent: spentBy,
      });
      return { sessionId, user: userOf(store, user), ...times };
    }),

  list: (userId) => store.exclusive(() => activeSessionsOf(store, userId)),

  findOwner: (id) =>
    store.exclusive(() => (isActiveSession(store, id) ? (store.sessions.get(id)?.userId ?? null) : null)),

  end: (digest) =>
    store.exclusive(() => {
      const token = store.refreshTokens.get(digest);
      if (token) store.sessions.delete(token.sessionId);
    }),

  endOne: (id, owner) =>
    store.exclusive(() => {
      const session = store.sessions.get(id);
      if (!session || !isActiveSession(store, id) || (owner ?? session.userId) !== session.userId) return null;
      store.sessions.delete(id);
      return session.userId;
    }),

  endAll: (userId) =>
    store.exclusive(() => {
      const { length } = activeSessionsOf(store, userId);
      endSessionsOf(store, userId);
      return length;
    }),
});
