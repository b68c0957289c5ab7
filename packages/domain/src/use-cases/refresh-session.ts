import { invalidToken } from '../model/errors.ts';
import { issuePair, type Session, type SessionPorts } from './steps/session.ts';

/**
 * Exchanges a refresh token for a new pair of the same session and consumes it. A consumed token that is presented again
 * too late or too often ends its session, because another client may have stolen it. Contract, section 6.
 *
 * @throws DomainError `invalid_token`, `unavailable`.
 */
export const makeRefreshSession =
  (ports: Omit<SessionPorts, 'ids'>) =>
  async (refreshToken: string): Promise<Session> => {
    const { sessions, refreshTokens, refreshLifetime: lifetime, sessionLifetime } = ports;
    const { token, digest: nextDigest } = refreshTokens.issue();
    const digest = refreshTokens.digestOf(refreshToken);
    const rotated = await sessions.rotate({ digest, nextDigest, lifetime, sessionLifetime });
    if (!rotated) throw invalidToken();
    return issuePair(ports, rotated, token);
  };
