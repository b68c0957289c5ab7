import { forgottenBefore, judgeToken, tokenTimes } from '../../model/refresh-token-rules.ts';
import { SESSION_RULES, type SessionId } from '../../model/session.ts';
import type { UserId } from '../../model/user.ts';
import type { ActorDirectory, SessionRepository, StoredSession } from '../../ports/session-repository.ts';
import type { TokenDigests } from '../../ports/tokens.ts';
import { isActiveSession, noteActivity, type Store, sessionsOf, storedActor, userOf } from './store.ts';

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

// A session that stores no such token stores its family. An unknown token has the empty id, which no session has.
const sessionOf = (store: Store, { digest, family }: TokenDigests): SessionId =>
  store.refreshTokens.get(digest)?.sessionId ??
  [...store.sessions].find(([, session]) => session.family === family)?.[0] ??
  '';

/** Returns an in-memory session repository. */
export const makeInMemorySessions = (store: Store): SessionRepository => ({
  start: ({ id, userId, digest, userAgent, ...lifetimes }, checked) =>
    store.exclusive(() => {
      const user = store.users.get(userId);
      if (!user?.isActive || user.passwordHash !== checked) return null;
      const now = store.clock.now();
      const times = tokenTimes(now, now, lifetimes);
      const { expiresAt } = times;
      const unused = { createdAt: now, refreshedAt: now, family: null, counted: null };
      store.sessions.set(id, { userId, userAgent, expiresAt, ...unused });
      store.refreshTokens.set(digest, { sessionId: id, expiresAt, spentAt: null, spentBy: null, parent: null });
      noteActivity(store, userId);
      endExcess(store, userId, id);
      return times;
    }),

  rotate: ({ digest, family, nextDigest, ...lifetimes }) =>
    store.exclusive(() => {
      const now = store.clock.now();
      const sessionId = sessionOf(store, { digest, family });
      const session = store.sessions.get(sessionId);
      const user = session && store.users.get(session.userId);
      if (!user) return null;
      const token = store.refreshTokens.get(digest) ?? null;
      const spentBy = token?.spentBy ?? digest;
      const siblingsOfNext = [...store.refreshTokens.values()].filter(({ parent }) => parent === spentBy);
      const times = tokenTimes(now, session.createdAt, lifetimes);
      const { sessionEndsAt } = times;
      const presented = token && { ...token, issued: siblingsOfNext.length };
      const stored = { token: presented, sessionEndsAt, counted: session.counted, isUserActive: user.isActive };
      const judgement = judgeToken(stored, now);
      if (judgement === 'reused') store.sessions.delete(sessionId);
      if (typeof judgement === 'string') return null;
      for (const [key, other] of store.refreshTokens) {
        const isSibling = key === digest || (other.parent !== null && other.parent === token?.parent);
        if (isSibling && other.spentAt === null) store.refreshTokens.set(key, { ...other, spentAt: now, spentBy });
        const isForgotten = other.spentAt !== null && other.spentAt < forgottenBefore(now);
        if (isForgotten && other.sessionId === sessionId) store.refreshTokens.delete(key);
      }
      const expiresAt = session.expiresAt > times.expiresAt ? session.expiresAt : times.expiresAt;
      store.sessions.set(sessionId, { ...session, refreshedAt: now, expiresAt, family, counted: judgement });
      noteActivity(store, session.userId);
      // If a sibling was used already, the next token counts as consumed from the start.
      const used = siblingsOfNext.find((sibling) => sibling.spentAt !== null) ?? { spentAt: null, spentBy: null };
      const next = { sessionId, expiresAt: times.expiresAt, parent: spentBy };
      store.refreshTokens.set(nextDigest, { ...next, spentAt: used.spentAt, spentBy: used.spentBy });
      return { sessionId, user: userOf(store, user), ...times };
    }),

  list: (userId) => store.exclusive(() => activeSessionsOf(store, userId)),

  findOwner: (id) =>
    store.exclusive(() => (isActiveSession(store, id) ? (store.sessions.get(id)?.userId ?? null) : null)),

  end: (token) =>
    store.exclusive(() => {
      store.sessions.delete(sessionOf(store, token));
    }),

  endOne: (id, owner) =>
    store.exclusive(() => {
      const isOwn = store.sessions.get(id)?.userId === owner && isActiveSession(store, id);
      if (isOwn) store.sessions.delete(id);
      return isOwn;
    }),
});

/** Returns an in-memory actor directory. */
export const makeInMemoryActors = (store: Store): ActorDirectory => ({
  find: async (userId, sessionId) => {
    const actor = storedActor(store, userId);
    const isOwn = store.sessions.get(sessionId)?.userId === userId;
    return actor?.isActive && isOwn && isActiveSession(store, sessionId) ? actor : null;
  },
});
