import { invalidToken } from '../model/errors.ts';
import { issuePair, type Session, type SessionPorts } from './steps/session.ts';

/**
 * Consumes a refresh token and returns a new pair of the same session. Presenting a consumed token too late or too often
 * ends its session, because the token may have been stolen. See contract §6.
 *
 * @throws DomainError `invalid_token`, `rate_limited`, `unavailable`.
 */
export const makeRefreshSession =
  (ports: Omit<SessionPorts, 'ids'>) =>
  async (refreshToken: string): Promise<Session> => {
    const { sessions, refreshTokens, refreshLifetime: lifetime, sessionLifetime } = ports;
    const { token, digest: nextDigest } = refreshTokens.issue(refreshToken);
    const presented = refreshTokens.digestsOf(refreshToken);
    const rotated = await sessions.rotate({ ...presented, nextDigest, lifetime, sessionLifetime });
    if (!rotated) throw invalidToken();
    return issuePair(ports, rotated, token);
  };
