import { notFound } from '../../model/errors.ts';
import type { PersonalToken } from '../../model/personal-token.ts';
import { pick } from '../../model/pick.ts';
import type { UserId } from '../../model/user.ts';
import type { PersonalTokens } from '../../ports/tokens.ts';
import { activeSessionsOf } from './session-repository.ts';
import { type Store, storedActor, writeEntry } from './store.ts';
import { lock } from './user-repository.ts';

const tokenOf = (stored: PersonalToken): PersonalToken =>
  pick(stored, ['id', 'name', 'isReadOnly', 'createdAt', 'expiresAt', 'lastUsedOn']);

/** Returns the tokens of a user, expired or not, newest first. */
export const tokensOf = (store: Store, userId: UserId): readonly PersonalToken[] =>
  [...store.tokens.values()]
    .filter((token) => token.userId === userId)
    .map(tokenOf)
    .toSorted((one, other) => other.createdAt.localeCompare(one.createdAt) || other.id.localeCompare(one.id));

/** Returns an in-memory repository of personal access tokens. */
export const makeInMemoryPersonalTokens = (store: Store): PersonalTokens => {
  const activeOf = (userId: UserId) => tokensOf(store, userId).filter(({ expiresAt }) => expiresAt > store.clock.now());
  return {
    create: (author, token, decide) =>
      store.exclusive(() => {
        const { actor, user } = lock(store, author, token.userId);
        const sessions = activeSessionsOf(store, user.id).map(({ id }) => id);
        const audited = decide({ actor, user, count: activeOf(user.id).length, sessions });
        const stored = { ...token, createdAt: store.clock.now(), lastUsedOn: null };
        store.tokens.set(token.id, stored);
        writeEntry(store, author, audited);
        return tokenOf(stored);
      }),

    list: async (userId) => activeOf(userId),

    end: (author, { id, userId }, decide) =>
      store.exclusive(() => {
        const { actor, user } = lock(store, author, userId);
        const token = activeOf(userId).find((one) => one.id === id);
        if (!token) throw notFound();
        const audited = decide({ actor, user, token });
        store.tokens.delete(id);
        writeEntry(store, author, audited);
      }),

    use: async (digest) => {
      const now = store.clock.now();
      const token = [...store.tokens.values()].find((one) => one.digest === digest && one.expiresAt > now);
      const actor = storedActor(store, token?.userId ?? null);
      if (!token || !actor?.isActive) return null;
      store.tokens.set(token.id, { ...token, lastUsedOn: now.slice(0, 10) });
      return { id: token.id, isReadOnly: token.isReadOnly, actor };
    },
  };
};
