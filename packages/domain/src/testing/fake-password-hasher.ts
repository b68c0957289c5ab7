import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { PasswordHash } from '../user.ts';

/** A hasher that costs nothing and whose hashes can be read. */
export interface FakePasswordHasher extends PasswordHasher {
  /** How often it hashed or verified; a test may set it back. */
  readonly work: { count: number };
}

/** The fake hash of a password, for a user who is to be stored with it. */
export const fakeHash = (password: string, salt = 0): PasswordHash => `hashed:${salt}:${password}`;

/** The same, but weaker than a new one. */
export const weakFakeHash = (password: string): PasswordHash => `weak:0:${password}`;

/** The password in a fake hash. */
export const passwordIn = (hash: PasswordHash): string => hash.slice(hash.indexOf(':', hash.indexOf(':') + 1) + 1);

/** A fake password hasher. */
export const makeFakePasswordHasher = (): FakePasswordHasher => {
  const work = { count: 0 };
  let salt = 0;
  return {
    work,
    hash: async (password) => {
      work.count += 1;
      salt += 1;
      return fakeHash(password, salt);
    },
    verify: async (password, hash) => {
      work.count += 1;
      return hash !== null && passwordIn(hash) === password;
    },
    requireRoom: () => {},
    isWeak: (hash) => hash.startsWith('weak:'),
  };
};
