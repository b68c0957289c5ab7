import type { Origin, PasswordHash } from '../model/user.ts';
import type { QueuedCall, Share } from '../queues/fair-queue.ts';

/** The request for which a hash is computed. Its `pause` is called around the hash. */
export interface HashRequest extends Pick<Origin, 'pause'>, Pick<QueuedCall, 'isAbandoned' | 'isContinuation'> {
  /** Whose hash it is: `['logins', network, name]` or `['callers', userId]`. */
  readonly share: Share;
  /**
   * Whether simultaneous calls of `verify` with the same password and hash are computed once. Not for logins: the duration
   * would reveal that another login has the same password.
   */
  readonly isCoalesced?: boolean;
}

/**
 * Computes and verifies password hashes. Calls wait for their turn like those of a fair queue, and are refused like them.
 * Calls without a request are the operator's.
 */
export interface PasswordHasher {
  /** Returns a hash of the password with a new salt. */
  hash(password: string, request?: HashRequest): Promise<PasswordHash>;

  /** Whether the password matches the hash. A null hash costs the same work and returns false. */
  verify(password: string, hash: PasswordHash | null, request?: HashRequest): Promise<boolean>;

  /** Throws if a new call would be refused. Call it before the work that precedes the first `hash` or `verify` of a request. */
  requireCapacity(share: Share): void;

  /** Whether the hash is weaker than a new one would be. */
  isWeak(hash: PasswordHash): boolean;
}
