import type { Instant, PasswordHash, User, UserId } from '../model/user.ts';

/** Identifier of a session: a UUID (version 7) in lower case. */
export type SessionId = string;

/** A session to begin. */
export interface NewSession {
  readonly id: SessionId;
  readonly userId: UserId;
  /** The digest of the refresh token; the token itself is never stored. */
  readonly digest: string;
  readonly startedAt: Instant;
  readonly expiresAt: Instant;
}

/** What a refresh token is exchanged with. */
export interface Rotation {
  readonly digest: string;
  readonly nextDigest: string;
  readonly now: Instant;
  /** Seconds for which the next token lives, unless its session ends earlier. */
  readonly lifetime: number;
  /** Seconds after its start at which a session ends at the latest. */
  readonly sessionLifetime: number;
}

/** What a refresh token was exchanged for. */
export interface Rotated {
  readonly sessionId: SessionId;
  readonly user: User;
  /** When the next token expires. */
  readonly expiresAt: Instant;
  /** When the session ends at the latest. */
  readonly sessionEndsAt: Instant;
}

/** Where sessions are kept, by the digests of their refresh tokens. */
export interface SessionRepository {
  /**
   * Begins a session, unless the user has become inactive, is gone, or has another password hash than the one that was
   * checked: then it answers false.
   */
  start(session: NewSession, checked: PasswordHash): Promise<boolean>;

  /**
   * Consumes a refresh token with its siblings, which are the tokens issued for the same consumed token or its siblings,
   * and stores the next token of its session. Null when the token is unknown or expired, or its user is inactive; and
   * when `judgeToken` calls it reused, which ends its session.
   */
  rotate(rotation: Rotation): Promise<Rotated | null>;

  /** Ends the session of a refresh token, spent or not; does nothing when there is none. */
  end(digest: string): Promise<void>;
}
