import type { SessionId } from '../model/session.ts';
import type { Instant, PasswordHash, User, UserId } from '../model/user.ts';

/** How long what is stored lives, in seconds. */
export interface SessionLifetimes {
  /** Seconds for which the stored refresh token lives, unless its session ends earlier. */
  readonly lifetime: number;
  /** Seconds after its start at which a session ends at the latest. */
  readonly sessionLifetime: number;
}

/** A session to begin. */
export interface NewSession extends SessionLifetimes {
  readonly id: SessionId;
  readonly userId: UserId;
  /** The digest of the refresh token; the token itself is never stored. */
  readonly digest: string;
  /** What the client calls itself, as `storedUserAgent` returns it. */
  readonly userAgent: string | null;
}

/** What a refresh token is exchanged with. */
export interface Rotation extends SessionLifetimes {
  readonly digest: string;
  readonly nextDigest: string;
}

/** The times of a stored refresh token, all by the clock of the repository. */
export interface TokenTimes {
  /** When the token was stored. */
  readonly storedAt: Instant;
  /** When the token expires. */
  readonly expiresAt: Instant;
  /** When its session ends at the latest. */
  readonly sessionEndsAt: Instant;
}

/** What a refresh token was exchanged for, with the times of the next token. */
export interface Rotated extends TokenTimes {
  readonly sessionId: SessionId;
  readonly user: User;
}

/** A session that has neither ended nor expired, as its user sees it. Contract, section 11. */
export interface ActiveSession {
  readonly id: SessionId;
  readonly createdAt: Instant;
  /** When it was last refreshed; `createdAt` before the first time. */
  readonly refreshedAt: Instant;
  /** What the client that logged in calls itself; null when it did not say. */
  readonly userAgent: string | null;
}

/**
 * Where sessions are kept, by the digests of their refresh tokens. The repository has a clock of its own, which all
 * instances share: it alone decides when sessions and tokens begin and expire.
 */
export interface SessionRepository {
  /**
   * Begins a session and returns the times of its first refresh token. Returns null, and begins none, when the user has
   * become inactive, is gone, or has another password hash than the one that was checked. Where the user then has more
   * than `SESSION_RULES.maxPerUser` active sessions, those least recently refreshed end.
   */
  start(session: NewSession, checked: PasswordHash): Promise<TokenTimes | null>;

  /**
   * Consumes a refresh token with its siblings, which are the tokens issued for the same consumed token or its siblings,
   * and stores the next token of its session. Null when the token is unknown or expired, or its user is inactive; and
   * when `judgeToken` calls it reused, which ends its session.
   */
  rotate(rotation: Rotation): Promise<Rotated | null>;

  /** The active sessions of a user, newest first. */
  list(userId: UserId): Promise<readonly ActiveSession[]>;

  /** The user of an active session; null when there is none. */
  findOwner(id: SessionId): Promise<UserId | null>;

  /** Ends the session of a refresh token, spent or not; does nothing when there is none. */
  end(digest: string): Promise<void>;

  /**
   * Ends an active session of `owner`, or of any user where `owner` is null (the operator), and returns its user. Null,
   * and ends none, when there is no such session.
   */
  endOne(id: SessionId, owner: UserId | null): Promise<UserId | null>;

  /** Ends every session of a user and returns how many were active. The user, and the user's revision, stay as they are. */
  endAll(userId: UserId): Promise<number>;
}
