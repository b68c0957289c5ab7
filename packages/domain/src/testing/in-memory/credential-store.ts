import { foldCase } from '../../model/text.ts';
import type { CredentialStore, Credentials } from '../../ports/passwords.ts';
import { type Store, type StoredUser, userOf } from './store.ts';

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
