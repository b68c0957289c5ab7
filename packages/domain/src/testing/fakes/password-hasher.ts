import { unavailable } from '../../model/errors.ts';
import type { PasswordHash } from '../../model/user.ts';
import type { HashRequest, PasswordHasher } from '../../ports/password-hasher.ts';

/** A hasher that costs nothing and whose hashes can be read. */
export interface FakePasswordHasher extends PasswordHasher {
  /** How often it hashed or verified; a test may set it back. */
  readonly work: { count: number };
  /** Whether each computation so far was a continuation. */
  readonly continuations: boolean[];
}

/** The fake hash of a password, for a user who is to be stored with it. */
export const fakeHash = (password: string, salt = 0): PasswordHash => `hashed:${salt}:${password}`;

/** The same, but weaker than a new one. */
export const weakFakeHash = (password: string): PasswordHash => `weak:0:${password}`;

/** The password in a fake hash. */
export const passwordIn = (hash: PasswordHash): string => hash.slice(hash.indexOf(':', hash.indexOf(':') + 1) + 1);

// As in scrypt, whose HMAC pads short keys with NULs: passwords that differ in trailing NULs alone are the same.
const padded = (password: string): string => password.padEnd(64, '\0');

/** A fake password hasher. */
export const makeFakePasswordHasher = (): FakePasswordHasher => {
  const work = { count: 0 };
  const continuations: boolean[] = [];
  let salt = 0;
  const begin = ({ isAbandoned, isContinuation = false }: HashRequest = {}): void => {
    if (isAbandoned?.()) throw unavailable();
    work.count += 1;
    continuations.push(isContinuation);
  };
  return {
    work,
    continuations,
    hash: async (password, request) => {
      begin(request);
      salt += 1;
      return fakeHash(password, salt);
    },
    verify: async (password, hash, request) => {
      begin(request);
      return hash !== null && padded(passwordIn(hash)) === padded(password);
    },
    requireRoom: () => {},
    isWeak: (hash) => hash.startsWith('weak:'),
  };
};
