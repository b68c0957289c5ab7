import type { Instant } from './user.ts';

/**
 * Limits within which a consumed refresh token is accepted again (two tabs, a lost response): the seconds since it was
 * consumed, and the number of times. See contract §6.
 */
export const REFRESH_TOKEN_RULES = { graceSeconds: 10, repeats: 5 } as const;

/** A stored refresh token that a client presents. */
export interface PresentedToken {
  readonly expiresAt: Instant;
  /** When this token or the first of its siblings was consumed; null if none was. */
  readonly spentAt: Instant | null;
  /** Number of tokens issued so far for this token and its siblings. */
  readonly issued: number;
  /** When its session ends at the latest. */
  readonly sessionEndsAt: Instant;
}

/** The result for a presented token: `reused` ends its session, `expired` changes nothing. */
export type Judgement = 'accepted' | 'expired' | 'reused';

/** Judges a presented refresh token. Siblings share their first use, so that two holders cannot refresh in parallel. */
export const judgeToken = ({ expiresAt, spentAt, issued, sessionEndsAt }: PresentedToken, now: Instant): Judgement => {
  if (expiresAt <= now || sessionEndsAt <= now) return 'expired';
  if (spentAt === null) return 'accepted';
  const { graceSeconds, repeats } = REFRESH_TOKEN_RULES;
  const isLate = Date.parse(now) - Date.parse(spentAt) > graceSeconds * 1000;
  return isLate || issued > repeats ? 'reused' : 'accepted';
};
