import type { UserId } from '../model/user.ts';

/** Maximum conflicts per user in a window, which starts with the first conflict. See contract §7. */
export const CONFLICT_LIMITS = { ofUser: 100, windowSeconds: 15 * 60 } as const;

/**
 * Counts attempts to use a username, email or name that another record has, because each reveals that it exists. Shared
 * by all instances. Counts outside the transaction that the conflict rolled back.
 */
export interface ConflictLimits {
  /** Counts an attempt of a user. @throws DomainError `rate_limited` with the seconds until the window ends. */
  count(userId: UserId): Promise<void>;
}
