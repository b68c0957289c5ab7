import { invalidToken } from '../errors.ts';
import { issuePair, later, type Session, type SessionPorts } from '../session.ts';

/** Seconds within which a spent refresh token still gives another pair: two tabs, a lost answer. Contract, section 6. */
export const REFRESH_GRACE = 10;

/**
 * Exchanges a refresh token for a new pair of the same session and spends it. One that was spent longer than
 * {@link REFRESH_GRACE} ago has been stolen from or by somebody, and ends its session.
 *
 * @throws DomainError `invalid_token`, `unavailable`.
 */
export const makeRefreshSession =
  (ports: Omit<SessionPorts, 'ids'>) =>
  async (refreshToken: string): Promise<Session> => {
    const { sessions, refreshTokens, clock, refreshLifetime } = ports;
    const { token, digest } = refreshTokens.issue();
    const now = clock.now();
    const rotated = await sessions.rotate({
      digest: refreshTokens.digestOf(refreshToken),
      nextDigest: digest,
      now,
      nextExpiresAt: later(now, refreshLifetime),
      grace: REFRESH_GRACE,
    });
    if (!rotated) throw invalidToken();
    return issuePair(ports, rotated.user, rotated.sessionId, token);
  };

/** See {@link makeRefreshSession}. */
export type RefreshSessionUseCase = ReturnType<typeof makeRefreshSession>;
