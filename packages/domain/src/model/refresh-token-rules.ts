import { rateLimited } from './errors.ts';
import { addSeconds, type Instant } from './user.ts';

/**
 * Limits of refresh tokens (contract §6). A consumed token is accepted again, for two tabs or a lost response, for
 * `graceSeconds` after it was consumed and `repeats` times. Apart from these repeats, a session is refreshed at most
 * `refreshesPerWindow` times in `windowSeconds`.
 */
export const REFRESH_TOKEN_RULES = {
  graceSeconds: 10,
  repeats: 5,
  refreshesPerWindow: 60,
  windowSeconds: 60 * 60,
} as const;

/** Lifetimes of a session and its refresh token. */
export interface SessionLifetimes {
  /** Lifetime of the refresh token, in seconds, unless its session ends earlier. */
  readonly lifetime: number;
  /** Maximum age of the session, in seconds. */
  readonly sessionLifetime: number;
}

/** The times of a stored refresh token, by the clock of the repository. */
export interface TokenTimes {
  /** When the token was stored. */
  readonly storedAt: Instant;
  /** When the token expires. */
  readonly expiresAt: Instant;
  /** When its session ends at the latest. */
  readonly sessionEndsAt: Instant;
}

const earlierInstant = (one: Instant, other: Instant): Instant => (one < other ? one : other);

/** Returns the times of a refresh token that is stored at `storedAt` for a session started at `startedAt`. */
export const tokenTimes = (
  storedAt: Instant,
  startedAt: Instant,
  { lifetime, sessionLifetime }: SessionLifetimes,
): TokenTimes => {
  const sessionEndsAt = addSeconds(startedAt, sessionLifetime);
  return { storedAt, expiresAt: earlierInstant(addSeconds(storedAt, lifetime), sessionEndsAt), sessionEndsAt };
};

/** A stored refresh token. Its siblings were issued for the same consumed token, or for a sibling of that one. */
export interface StoredToken {
  readonly expiresAt: Instant;
  /** When this token or the first of its siblings was consumed; null if none was. */
  readonly spentAt: Instant | null;
  /** Number of tokens that this token and its siblings have been exchanged for. */
  readonly issued: number;
}

/** The refreshes of a session since an instant, without repeats. */
export interface RefreshCount {
  readonly since: Instant;
  /** The number of refreshes. */
  readonly refreshes: number;
}

/** A refresh token that a client presents, with what is stored about its session and its user. */
export interface PresentedToken {
  /** Null if the session stores a token of the same family, but no longer this one. */
  readonly token: StoredToken | null;
  /** When the session ends at the latest. */
  readonly sessionEndsAt: Instant;
  /** Null if the session was not refreshed yet. */
  readonly counted: RefreshCount | null;
  /** Whether the user may log in. */
  readonly isUserActive: boolean;
}

const millisecondsBetween = (earlier: Instant, later: Instant): number => Date.parse(later) - Date.parse(earlier);

const { graceSeconds, repeats, refreshesPerWindow, windowSeconds } = REFRESH_TOKEN_RULES;

/** Returns the count of the present window. */
const countAt = (counted: RefreshCount | null, now: Instant): RefreshCount =>
  counted && millisecondsBetween(counted.since, now) < windowSeconds * 1000 ? counted : { since: now, refreshes: 0 };

/** Adds a refresh to the count of a session. @throws DomainError `rate_limited` at the limit. */
const countRefresh = ({ since, refreshes }: RefreshCount, now: Instant): RefreshCount => {
  if (refreshes < refreshesPerWindow) return { since, refreshes: refreshes + 1 };
  const retryAfter = Math.ceil(windowSeconds - millisecondsBetween(since, now) / 1000);
  throw rateLimited(retryAfter, 'too many refreshes of this session; try again later');
};

/**
 * Judges a presented refresh token: returns the count of its session's refreshes if the token is accepted. `refused` changes
 * nothing; `reused` ends the session. The first use of a token starts the grace period of its siblings too, so that two
 * holders cannot refresh in parallel. A token that is no longer stored was consumed, and its grace period has ended.
 *
 * @throws DomainError `rate_limited` if the session is refreshed too often. The token is then not consumed.
 */
export const judgeToken = (
  { token, sessionEndsAt, counted, isUserActive }: PresentedToken,
  now: Instant,
): RefreshCount | 'refused' | 'reused' => {
  if (sessionEndsAt <= now) return 'refused';
  if (token === null) return 'reused';
  const { expiresAt, spentAt, issued } = token;
  const isRepeat = spentAt !== null;
  if (isRepeat && (spentAt < forgottenBefore(now) || issued > repeats)) return 'reused';
  if (expiresAt <= now || !isUserActive) return 'refused';
  const present = countAt(counted, now);
  return isRepeat ? present : countRefresh(present, now);
};

/**
 * Returns the start of the grace period that ends now. A token that was consumed earlier need not be stored: without
 * it, `judgeToken` returns the same.
 */
export const forgottenBefore = (now: Instant): Instant => addSeconds(now, -graceSeconds);
