import type { Actor, Author, Instant, User, UserId } from '../model/user.ts';
import type { LockedUser, UserWrite } from '../writes/user-writes.ts';

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
 * Stores password links, at most one per user. A link is void after a write with `voidsLink`. The clock of the repository
 * decides when links expire.
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
   * Locks issuer and user, calls `decide` with the locked state of the link, and applies its decision with the user as author.
   * If `decide` throws, the link stays open.
   *
   * @throws DomainError `invalid_token` if there is no such open link; errors thrown by `decide`.
   */
  redeem(digest: string, requestId: string | null, decide: (link: OpenPasswordLink) => UserWrite): Promise<void>;
}
