import type { UserId } from '../model/user.ts';

/** Failed attempts within a window, which begins with the first of them. Contract, sections 3 and 6. */
export const LOGIN_LIMITS = { ofSubject: 10, ofNetwork: 100, windowSeconds: 15 * 60 } as const;

/**
 * Whose attempts count together: at the login those with one folded username, whether a user has it or not; for the
 * current password those of one user, so that a new username does not reset the count.
 */
export type LoginSubject = { readonly username: string } | { readonly userId: UserId };

/** An attempt that was let through. It counts as failed unless it succeeds or is withdrawn. */
export interface LoginAttempt {
  /** Takes the attempt back, and clears what this subject failed from this network. */
  succeeded(): Promise<void>;

  /** Takes the attempt back and leaves all others as they are: no password was checked. */
  withdraw(): Promise<void>;
}

/** Slows guessing down. Shared by all instances; exact under concurrent attempts, which count as they begin. */
export interface LoginLimits {
  /**
   * Counts an attempt of a subject from a network (in text); with null, of the network alone. A refused attempt is neither
   * counted nor stored.
   *
   * @throws DomainError `rate_limited` past a limit, with the seconds until it is over.
   */
  begin(subject: LoginSubject | null, network: string): Promise<LoginAttempt>;
}
