import type { RefreshTokens } from '../ports/refresh-tokens.ts';
import type { SessionRepository } from '../ports/session-repository.ts';

/** Ends the session of a refresh token. Does not report whether the token was known. @throws DomainError `unavailable`. */
export const makeEndSession =
  ({ sessions, refreshTokens }: { sessions: SessionRepository; refreshTokens: RefreshTokens }) =>
  (refreshToken: string): Promise<void> =>
    sessions.end(refreshTokens.digestsOf(refreshToken));
