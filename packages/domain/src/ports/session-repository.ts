import type { SessionLifetimes, TokenTimes } from '../model/refresh-token-rules.ts';
import type { SessionId } from '../model/session.ts';
import type { Actor, Instant, PasswordHash, User, UserId } from '../model/user.ts';
import type { TokenDigests } from './tokens.ts';

/** A session to start. */
export interface NewSession extends SessionLifetimes {
  readonly id: SessionId;
  readonly userId: UserId;
  /** The digest of the refresh token; the token itself is never stored. */
  readonly digest: string;
  /** The client's user agent, as returned by `storedUserAgent`. */
  readonly userAgent: string | null;
}

/** The exchange of a refresh token for the next one of its family, both by their digests. */
export interface Rotation extends SessionLifetimes, TokenDigests {
  /** The digest of the token that replaces this one. */
  readonly nextDigest: string;
}

/** The result of an exchange, with the times of the next token. */
export interface Rotated extends TokenTimes {
  readonly sessionId: SessionId;
  readonly user: User;
}

/** A stored session, without its tokens. */
export interface StoredSession {
  readonly id: SessionId;
  readonly createdAt: Instant;
  /** Time of the last refresh; equals `createdAt` before the first one. */
  readonly refreshedAt: Instant;
  /** When its latest refresh token expires. */
  readonly expiresAt: Instant;
  /** The user agent of the client that logged in; null if it sent none. */
  readonly userAgent: string | null;
}

/**
 * Stores sessions by the digests of their refresh tokens. Only the repository's clock, which all instances share,
 * decides when sessions and tokens start and expire.
 */
export interface SessionRepository {
  /**
   * Starts a session and returns the times of its first refresh token. Returns null and starts none if the user is deleted,
   * has become inactive, or no longer has the password hash that was checked. Stores the day for the `UserDirectory`. If the
   * user then has more than `SESSION_RULES.maxPerUser` active sessions, ends those that were refreshed least recently.
   */
  start(session: NewSession, checked: PasswordHash): Promise<TokenTimes | null>;

  /**
   * Consumes a refresh token and its siblings, and stores the next token of its session. Siblings are tokens issued for
   * the same consumed token or for one of its siblings. Stores the day for the `UserDirectory`. Deletes tokens of the
   * session that were consumed before `forgottenBefore`, so that the number of stored tokens does not grow.
   *
   * A token that is not stored belongs to the session with its family. Returns null if there is no session, or if
   * `judgeToken` returns `refused` or `reused`; the latter also ends the session.
   *
   * @throws DomainError `rate_limited` like `judgeToken`.
   */
  rotate(rotation: Rotation): Promise<Rotated | null>;

  /** Returns the active sessions of a user, newest first: those that have neither ended nor expired. Contract §11. */
  list(userId: UserId): Promise<readonly StoredSession[]>;

  /** Returns the user of an active session, or null if there is none. */
  findOwner(id: SessionId): Promise<UserId | null>;

  /** Ends the session of a refresh token, consumed or not; does nothing for an unknown token. */
  end(token: TokenDigests): Promise<void>;

  /** Ends an active session of its owner. Returns whether there was one. */
  endOne(id: SessionId, owner: UserId): Promise<boolean>;
}

/** Reads the current rights of users, independent of the claims in tokens. */
export interface ActorDirectory {
  /**
   * Returns the user's current rights. Returns null if the user is deleted or inactive, or if the session has ended,
   * has expired with its last refresh token, or belongs to another user. Never cached.
   */
  find(userId: UserId, sessionId: SessionId): Promise<Actor | null>;
}
