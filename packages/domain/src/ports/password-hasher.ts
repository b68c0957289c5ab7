import type { PasswordHash } from '../user.ts';

/**
 * Turns passwords into hashes and checks them. Bounded: it computes only so many at once, and queues only so many.
 * Every function throws DomainError `unavailable` when the queue is full.
 */
export interface PasswordHasher {
  /** A hash of the password with new salt. */
  hash(password: string): Promise<PasswordHash>;

  /** Whether the password is the hash's. With null it answers false after the same work. */
  verify(password: string, hash: PasswordHash | null): Promise<boolean>;

  /** Nothing where there is room for one more call; else throws, before anything is done for a call that would be refused. */
  requireRoom(): void;

  /** Whether the hash is weaker than a new one would be. */
  isWeak(hash: PasswordHash): boolean;
}
