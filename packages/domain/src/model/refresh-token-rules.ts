import type { Instant } from './user.ts';

/**
 * How a consumed refresh token may be presented again (two tabs, a lost response): within this many seconds of being
 * consumed and this many times. Contract, section 6.
 */
export const REFRESH_TOKEN_RULES = { graceSeconds: 10, repeats: 5 } as const;

/** A stored refresh token that a client presents. */
export interface PresentedToken {
  readonly expiresAt: Instant;
  /** When it, or the first of its siblings, was consumed; null while none was. */
  readonly spentAt: Instant | null;
  /** Tokens issued so far for it and its siblings. */
  readonly issued: number;
  /** When its session ends at the latest. */
  readonly sessionEndsAt: Instant;
}

/** What becomes of a presented token: `reused` ends its session, `expired` changes nothing. */
export type Judgement = 'accepted' | 'expired' | 'reused';

/** Judges a presented refresh token. Siblings share their first use, so that two holders cannot refresh side by side. */
export const judgeToken = ({ expiresAt, spentAt, issued, sessionEndsAt }: PresentedToken, now: Instant): Judgement => {
  if (expiresAt <= now || sessionEndsAt <= now) return 'expired';
  if (spentAt === null) return 'accepted';
  const { graceSeconds, repeats } = REFRESH_TOKEN_RULES;
  const isLate = Date.parse(now) - Date.parse(spentAt) > graceSeconds * 1000;
  return isLate || issued > repeats ? 'reused' : 'accepted';
};
