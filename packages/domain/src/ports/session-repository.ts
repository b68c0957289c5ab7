import type { Instant, PasswordHash, User, UserId } from '../user.ts';

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

/** What a spent or fresh refresh token is exchanged with. */
export interface Rotation {
  readonly digest: string;
  readonly nextDigest: string;
  readonly now: Instant;
  readonly nextExpiresAt: Instant;
  /** How long, in seconds from its first use on, a spent token still gives another pair. */
  readonly grace: number;
}

/** Where sessions are kept, by the digests of their refresh tokens. */
export interface SessionRepository {
  /**
   * Begins a session, unless the user has become inactive, is gone, or has another password hash than the one that was
   * checked: then it answers false.
   */
  start(session: NewSession, checked: PasswordHash): Promise<boolean>;

  /**
   * Spends a refresh token and stores the next one of its session. Null when the token is unknown or expired, or its
   * user is inactive; a token that was spent longer ago than the grace ends its session, and gives null as well. A token
   * expires at the moment given: from then on it is worth nothing.
   */
  rotate(rotation: Rotation): Promise<{ readonly sessionId: SessionId; readonly user: User } | null>;

  /** Ends the session of a refresh token, spent or not; does nothing when there is none. */
  end(digest: string): Promise<void>;
}
