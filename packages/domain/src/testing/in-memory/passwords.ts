import { userAudit } from '../../model/audit-entry.ts';
import { invalidToken } from '../../model/errors.ts';
import { foldCase } from '../../model/text.ts';
import { addSeconds, type Credentials } from '../../model/user.ts';
import type { CredentialStore, OpenPasswordLink, PasswordLinks } from '../../ports/passwords.ts';
import { type Store, type StoredUser, storedActor, userOf, writeEntry } from './store.ts';
import { lock, storeUserWrite } from './user-repository.ts';

/** Returns an in-memory credential store. */
export const makeInMemoryCredentials = (store: Store): CredentialStore => {
  const credentialsOf = (user: StoredUser | undefined): Credentials | null =>
    user ? { user: userOf(store, user), passwordHash: user.passwordHash } : null;
  return {
    findByUsername: async (username) => {
      const folded = foldCase(username);
      return credentialsOf([...store.users.values()].find((user) => foldCase(user.username) === folded));
    },

    find: async (id) => credentialsOf(store.users.get(id)),

    renew: (id, from, to) =>
      store.exclusive(() => {
        const user = store.users.get(id);
        if (user?.passwordHash === from) store.users.set(id, { ...user, passwordHash: to });
      }),
  };
};

const openLink = (store: Store, digest: string): OpenPasswordLink | null => {
  const [userId, link] = [...store.passwordLinks].find(([, stored]) => stored.digest === digest) ?? [];
  const user = store.users.get(userId ?? '');
  if (!link || !user || link.expiresAt <= store.clock.now()) return null;
  const { issuerId } = link;
  return { user: userOf(store, user), issuerId, issuer: storedActor(store, issuerId) };
};

/** Returns an in-memory repository of password links. */
export const makeInMemoryPasswordLinks = (store: Store): PasswordLinks => ({
  create: (author, { userId, digest, lifetime }, permit) =>
    store.exclusive(() => {
      const { actor, user } = lock(store, author, userId);
      permit({ actor, user });
      const expiresAt = addSeconds(store.clock.now(), lifetime);
      store.passwordLinks.set(userId, { digest, issuerId: author.userId, expiresAt });
      writeEntry(store, author, userAudit('createPasswordLink', user));
      return expiresAt;
    }),

  find: async (digest) => openLink(store, digest),

  redeem: (digest, requestId, decide) =>
    store.exclusive(() => {
      const link = openLink(store, digest);
      if (!link) throw invalidToken();
      const { id, username } = link.user;
      storeUserWrite(store, { userId: id, name: username, requestId }, decide(link));
    }),
});
