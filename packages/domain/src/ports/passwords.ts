import type { Actor, Author, Credentials, Instant, Origin, PasswordHash, User, UserId } from '../model/user.ts';
import type { QueuedCall, Share } from '../queues/fair-queue.ts';
import type { LockedUser, UserWrite } from '../writes/user-writes.ts';

/** The request for which a hash is computed. Its `pause` is called around the hash. */
export interface HashRequest extends Pick<Origin, 'pause'>, Pick<QueuedCall, 'isAbandoned' | 'isContinuation'> {
  /** Whose hash it is: `['logins', network, name]`, `['callers', userId]` or `['operator']`. */
  readonly share: Share;
  /**
   * Whether simultaneous calls of `verify` with the same password and hash are computed once. Not for logins: the
   * duration would reveal that another login has the same password.
   */
  readonly isCoalesced?: boolean;
}

/**
 * Computes and verifies password hashes. Calls wait for their turn like those of a fair queue, and are refused like
 * them. Calls without a request are the operator's.
 */
export interface PasswordHasher {
  /** Returns a hash of the password with a new salt. */
  hash(password: string, request?: HashRequest): Promise<PasswordHash>;

  /** Whether the password matches the hash. A null hash costs the same work and returns false. */
  verify(password: string, hash: PasswordHash | null, request?: HashRequest): Promise<boolean>;

  /** Throws if a new call would be refused. Call it before the work that precedes the first `hash` or `verify` of a request. */
  requireCapacity(share: Share): void;

  /** Whether the hash is weaker than a new one would be. */
  isWeak(hash: PasswordHash): boolean;
}

/** The most common passwords. */
export interface CommonPasswords {
  /** Whether a text in lower case is one of the 10,000 most common passwords. */
  has(lowerCase: string): boolean;
}

/** Finds users with their password hashes, and replaces weak hashes. */
export interface CredentialStore {
  /** Finds a user by login name, regardless of case; null if there is none. */
  findByUsername(username: string): Promise<Credentials | null>;

  /** Finds a user by id; null if there is none. */
  find(id: UserId): Promise<Credentials | null>;

  /**
   * Replaces a hash by a stronger one of the same password. This is not a change of the user: no audit entry, no new
   * revision, no end of sessions. Does nothing if the stored hash is no longer `from`.
   */
  renew(id: UserId, from: PasswordHash, to: PasswordHash): Promise<void>;
}

/** A password link to store: the token is never stored, only its digest. */
export interface NewPasswordLink {
  readonly userId: UserId;
  /** The digest by which the link is found. */
  readonly digest: string;
  /** Seconds for which the link is valid. */
  readonly lifetime: number;
}

/** A link that is not used, expired or void. */
export interface OpenPasswordLink {
  /** The user whose password the link can set. */
  readonly user: User;
  /** Null for the operator. */
  readonly issuerId: UserId | null;
  /** The issuer's present rights; null for the operator and for a deleted issuer. */
  readonly issuer: Actor | null;
}

/**
 * Stores password links, at most one per user. A link is void after a write with `voidsLink`. The clock of the
 * repository decides when links expire.
 */
export interface PasswordLinks {
  /**
   * Locks author and user, calls `permit`, stores the link in place of an earlier one, and writes the audit entry.
   * Returns the instant at which the link expires.
   *
   * @throws DomainError `not_found`; errors thrown by `permit`.
   */
  create(
    author: Author,
    link: NewPasswordLink,
    permit: (locked: Pick<LockedUser, 'actor' | 'user'>) => void,
  ): Promise<Instant>;

  /** Returns the open link with the digest of a token, or null. Does the same work either way. */
  find(digest: string): Promise<OpenPasswordLink | null>;

  /**
   * Locks issuer and user, calls `decide` with the locked state of the link, and applies its decision with the user as
   * author. If `decide` throws, the link stays open.
   *
   * @throws DomainError `invalid_token` if there is no such open link; errors thrown by `decide`.
   */
  redeem(digest: string, requestId: string | null, decide: (link: OpenPasswordLink) => UserWrite): Promise<void>;
}
