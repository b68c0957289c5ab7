import type { SessionRepository } from '../ports/session-repository.ts';
import { type Store, userOf } from './store.ts';

/** The twin of the session repository. */
export const makeInMemorySessions = (store: Store): SessionRepository => ({
  start: ({ id, userId, digest, expiresAt }, checked) =>
    store.alone(() => {
      const user = store.users.get(userId);
      if (!user?.isActive || user.passwordHash !== checked) return false;
      store.sessions.set(id, userId);
      store.tokens.set(digest, { sessionId: id, expiresAt, spentAt: null });
      return true;
    }),

  rotate: ({ digest, nextDigest, now, nextExpiresAt, grace }) =>
    store.alone(() => {
      const token = store.tokens.get(digest);
      const userId = token && store.sessions.get(token.sessionId);
      const user = userId && store.users.get(userId);
      if (!token || !user || !user.isActive || token.expiresAt <= now) return null;
      const { sessionId, spentAt } = token;
      if (spentAt !== null && Date.parse(now) - Date.parse(spentAt) > grace * 1000) {
        store.sessions.delete(sessionId);
        return null;
      }
      store.tokens.set(digest, { ...token, spentAt: spentAt ?? now });
      store.tokens.set(nextDigest, { sessionId, expiresAt: nextExpiresAt, spentAt: null });
      return { sessionId, user: userOf(store, user) };
    }),

  end: (digest) =>
    store.alone(() => {
      const token = store.tokens.get(digest);
      if (token) store.sessions.delete(token.sessionId);
    }),
});
