import type { AccessClaims, AccessTokens } from './ports/access-tokens.ts';
import type { Clock } from './ports/clock.ts';
import type { IdGenerator } from './ports/id-generator.ts';
import type { RefreshTokens } from './ports/refresh-tokens.ts';
import type { SessionId, SessionRepository } from './ports/session-repository.ts';
import type { Instant, PasswordHash, User } from './user.ts';

/** A pair of tokens, with their lifetimes in seconds. Contract, section 6. */
export interface Session {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly refreshToken: string;
  readonly refreshExpiresIn: number;
}

/** What a session needs. `refreshLifetime` is in seconds. */
export interface SessionPorts {
  readonly sessions: SessionRepository;
  readonly accessTokens: AccessTokens;
  readonly refreshTokens: RefreshTokens;
  readonly ids: IdGenerator;
  readonly clock: Clock;
  readonly refreshLifetime: number;
}

/** The moment so many seconds later. */
export const later = (instant: Instant, seconds: number): Instant =>
  new Date(Date.parse(instant) + seconds * 1000).toISOString();

const claimsOf = (user: User, sid: SessionId): AccessClaims => ({
  sub: user.id,
  sid,
  username: user.username,
  division_id: user.division.id,
  groups: user.groups,
  is_staff: user.isStaff,
  is_superuser: user.isSuperuser,
});

/** A new access token for a session, beside the refresh token that was just stored for it. */
export const issuePair = async (
  { accessTokens, refreshLifetime }: Pick<SessionPorts, 'accessTokens' | 'refreshLifetime'>,
  user: User,
  sessionId: SessionId,
  refreshToken: string,
): Promise<Session> => {
  const { token, expiresIn } = await accessTokens.issue(claimsOf(user, sessionId));
  return { accessToken: token, expiresIn, refreshToken, refreshExpiresIn: refreshLifetime };
};

/** Begins a session for a user whose password was checked against `checked`; null when that is no longer their password. */
export const startSession = async (ports: SessionPorts, user: User, checked: PasswordHash): Promise<Session | null> => {
  const { sessions, refreshTokens, ids, clock, refreshLifetime } = ports;
  const { token, digest } = refreshTokens.issue();
  const startedAt = clock.now();
  const id = ids.next();
  const session = { id, userId: user.id, digest, startedAt, expiresAt: later(startedAt, refreshLifetime) };
  return (await sessions.start(session, checked)) ? issuePair(ports, user, id, token) : null;
};
