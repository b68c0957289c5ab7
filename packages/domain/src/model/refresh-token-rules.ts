import type { Instant } from './user.ts';

/**
 * Limits within which a consumed refresh token is accepted again, for two tabs or a lost response: seconds since it was
 * consumed, and number of repeats. See contract §6.
 */
export const REFRESH_TOKEN_RULES = { graceSeconds: 10, repeats: 5 } as const;

/**
 * A stored refresh token that a client presents. Its siblings are the other tokens issued for the same consumed token or for
 * one of that token's siblings.
 */
export interface PresentedToken {
  readonly expiresAt: Instant;
  /** When this token or the first of its siblings was consumed; null if none was. */
  readonly spentAt: Instant | null;
  /** Number of tokens that this token and its siblings have been exchanged for. */
  readonly issued: number;
  /** When its session ends at the latest. */
  readonly sessionEndsAt: Instant;
}

/** The result for a presented token: `reused` ends its session, `expired` changes nothing. */
export type Judgement = 'accepted' | 'expired' | 'reused';

/**
 * Judges a presented refresh token. The first use of a token starts the grace period of its siblings too, so that two holders
 * cannot refresh in parallel.
 */
export const judgeToken = ({ expiresAt, spentAt, issued, sessionEndsAt }: PresentedToken, now: Instant): Judgement => {
  if (expiresAt <= now || sessionEndsAt <= now) return 'expired';
  if (spentAt === null) return 'accepted';
  const { graceSeconds, repeats } = REFRESH_TOKEN_RULES;
  const isLate = Date.parse(now) - Date.parse(spentAt) > graceSeconds * 1000;
  return isLate || issued > repeats ? 'reused' : 'accepted';
};
