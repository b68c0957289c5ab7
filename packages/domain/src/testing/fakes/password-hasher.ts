import { unavailable } from '../../model/errors.ts';
import type { PasswordHash } from '../../model/user.ts';
import type { HashRequest, PasswordHasher } from '../../ports/passwords.ts';
import type { Share } from '../../queues/fair-queue.ts';

/** A hasher without cost, whose hashes contain the password in plain text. */
export interface FakePasswordHasher extends PasswordHasher {
  /** Number of calls that hashed or verified; a test may reset it. */
  readonly work: { count: number };
  /** For each computation so far, whose it was. */
  readonly shares: (Share | undefined)[];
  /** For each computation so far, whether it was a continuation. */
  readonly continuations: boolean[];
}

/** Returns the fake hash of a password. */
export const fakeHash = (password: string, salt = 0): PasswordHash => `hashed:${salt}:${password}`;

/** Returns a fake hash of a password that counts as weak. */
export const weakFakeHash = (password: string): PasswordHash => `weak:0:${password}`;

/** Returns the password in a fake hash. */
export const passwordIn = (hash: PasswordHash): string => hash.slice(hash.indexOf(':', hash.indexOf(':') + 1) + 1);

// Like scrypt, whose HMAC pads short keys with NUL: passwords that differ only in trailing NULs are equal.
const padded = (password: string): string => password.padEnd(64, '\0');

/** Returns a fake password hasher. */
export const makeFakePasswordHasher = (): FakePasswordHasher => {
  const work = { count: 0 };
  const shares: (Share | undefined)[] = [];
  const continuations: boolean[] = [];
  let salt = 0;
  const begin = (request: HashRequest | undefined): void => {
    if (request?.isAbandoned?.()) throw unavailable();
    work.count += 1;
    shares.push(request?.share);
    continuations.push(request?.isContinuation === true);
  };
  return {
    work,
    shares,
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
    requireCapacity: () => {},
    isWeak: (hash) => hash.startsWith('weak:'),
  };
};
