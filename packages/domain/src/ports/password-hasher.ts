import type { PasswordHash } from '../model/user.ts';

/** The request for which a hash is computed. */
export interface HashRequest {
  /** Whether the client has disconnected. Called when the request's turn comes; if true, nothing is computed. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Whether the request has had a turn before. It then precedes requests that wait for their first turn. */
  readonly isContinuation?: boolean;
}

/**
 * Computes and verifies password hashes. Limits how many calls run at once, how many wait, and how long they wait (a few
 * seconds). `hash` and `verify` throw DomainError `unavailable` if the queue is full, if the turn does not come in time,
 * and for an abandoned request.
 */
export interface PasswordHasher {
  /** Returns a hash of the password with a new salt. */
  hash(password: string, request?: HashRequest): Promise<PasswordHash>;

  /** Whether the password matches the hash. A null hash costs the same work and returns false. */
  verify(password: string, hash: PasswordHash | null, request?: HashRequest): Promise<boolean>;

  /**
   * Throws if the queue is full. Call it before the work that precedes the first `hash` or `verify` of a request.
   *
   * @throws DomainError `unavailable`.
   */
  requireCapacity(): void;

  /** Whether the hash is weaker than a new one would be. */
  isWeak(hash: PasswordHash): boolean;
}
