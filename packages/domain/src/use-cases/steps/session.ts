import type { SessionId } from '../../model/session.ts';
import type { User } from '../../model/user.ts';
import type { Rotated } from '../../ports/session-repository.ts';
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
