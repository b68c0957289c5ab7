import type { Actor, Author, Instant, PasswordHash, User, UserId } from '../model/user.ts';
import type { LockedUser } from './user-change.ts';

/** A password link to store: the token is never stored, only its digest. */
export interface NewPasswordLink {
  readonly userId: UserId;
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
 * Stores password links, at most one per user. A link is void after a change for which `voidsPasswordLink` returns true, and
 * after the deletion of its user. The clock of the repository decides when links expire.
 */
export interface PasswordLinks {
  /**
   * Locks author and user, calls `permit`, stores the link in place of an earlier one, and writes the audit entry. Returns
   * the instant at which the link expires.
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
   * Locks issuer and user, calls `decide` with the locked state of the link, and stores the password hash that it returns.
   * Removes the link, ends the user's sessions, and writes the audit entry with the user as author. If `decide` throws, the
   * link stays open.
   *
   * @throws DomainError `invalid_token` if there is no such open link; errors thrown by `decide`.
   */
  redeem(digest: string, requestId: string | null, decide: (link: OpenPasswordLink) => PasswordHash): Promise<void>;
}
