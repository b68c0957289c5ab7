import type { UserId } from '../model/user.ts';

/** Conflicts that one user may cause within a window, which begins with the first of them. Contract, section 7. */
export const CONFLICT_LIMITS = { ofUser: 100, windowSeconds: 15 * 60 } as const;

/**
 * Counts attempts to take a username, email or name that another record has: each tells the caller that it exists.
 * Shared by all instances; counts outside of the transaction that the conflict rolled back.
 */
export interface ConflictLimits {
  /** @throws DomainError `rate_limited` past the limit, with the seconds until it is over. */
  count(userId: UserId): Promise<void>;
}
