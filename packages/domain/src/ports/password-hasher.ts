import type { PasswordHash } from '../model/user.ts';

/** The request that a hash is computed for. */
export interface HashRequest {
  /** Whether its client has disconnected. Asked when the call's turn comes; if so, nothing is computed. */
  readonly isAbandoned?: (() => boolean) | undefined;
  /** Whether the request has had a turn already. It then goes before requests that wait for their first. */
  readonly isContinuation?: boolean;
}

/**
 * Computes and verifies password hashes. Bounded: a limited number of calls run at once, a limited number wait, and none
 * waits longer than a few seconds. `hash` and `verify` throw DomainError `unavailable` when the queue is full, when the
 * turn does not come in time, and for an abandoned request.
 */
export interface PasswordHasher {
  /** Returns a hash of the password with new salt. */
  hash(password: string, request?: HashRequest): Promise<PasswordHash>;

  /** Whether the hash is that of the password. With null it is false after the same work. */
  verify(password: string, hash: PasswordHash | null, request?: HashRequest): Promise<boolean>;

  /**
   * Checks that a request could wait for its first turn now; for use before other work is done for it.
   *
   * @throws DomainError `unavailable`.
   */
  requireRoom(): void;

  /** Whether the hash is weaker than a new one would be. */
  isWeak(hash: PasswordHash): boolean;
}
