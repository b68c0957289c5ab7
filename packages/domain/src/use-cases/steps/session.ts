import { type SessionId, storedUserAgent } from '../../model/session.ts';
import type { Instant, PasswordHash, User } from '../../model/user.ts';
import type { Rotated, SessionLifetimes, TokenTimes } from '../../ports/session-repository.ts';
import type { AccessClaims } from '../../ports/tokens.ts';
import type { Ports } from './ports.ts';

/** A pair of tokens with their lifetimes in seconds. See contract §6. */
export interface Session {
  /** A signed JWT. */
  readonly accessToken: string;
  /** Lifetime of the access token in seconds. */
  readonly expiresIn: number;
  /** An opaque text that can be used once. */
  readonly refreshToken: string;
  /** Lifetime of the refresh token in seconds. */
  readonly refreshExpiresIn: number;
}

/** What starting and refreshing a session needs. */
export type SessionPorts = Pick<
  Ports,
  'sessions' | 'accessTokens' | 'refreshTokens' | 'ids' | 'refreshLifetime' | 'sessionLifetime'
>;

/** Returns the instant a number of seconds later. */
export const addSeconds = (instant: Instant, seconds: number): Instant =>
  new Date(Date.parse(instant) + seconds * 1000).toISOString();

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

const claimsOf = (user: User, sid: SessionId): AccessClaims => ({
  sub: user.id,
  sid,
  username: user.username,
  division_id: user.division.id,
  groups: user.groups,
  is_staff: user.isStaff,
  is_superuser: user.isSuperuser,
});

/** Issues an access token for a session, and returns it with the refresh token that was stored. */
export const issuePair = async (
  { accessTokens }: Pick<Ports, 'accessTokens'>,
  { user, sessionId, storedAt, expiresAt, sessionEndsAt }: Rotated,
  refreshToken: string,
): Promise<Session> => {
  const { token, expiresIn } = await accessTokens.issue(claimsOf(user, sessionId), sessionEndsAt);
  const refreshExpiresIn = Math.floor((Date.parse(expiresAt) - Date.parse(storedAt)) / 1000);
  return { accessToken: token, expiresIn, refreshToken, refreshExpiresIn };
};

/**
 * Starts a session for a user. Returns null if the user is no longer active, or if `checked` is no longer the user's password
 * hash.
 */
export const startSession = async (
  ports: SessionPorts,
  { user, userAgent }: { readonly user: User; readonly userAgent: string | null | undefined },
  checked: PasswordHash,
): Promise<Session | null> => {
  const { sessions, refreshTokens, ids, refreshLifetime: lifetime, sessionLifetime } = ports;
  const { token, digest } = refreshTokens.issue();
  const sessionId = ids.next();
  const newSession = { id: sessionId, userId: user.id, digest, userAgent: storedUserAgent(userAgent) };
  const times = await sessions.start({ ...newSession, lifetime, sessionLifetime }, checked);
  return times && issuePair(ports, { user, sessionId, ...times }, token);
};
