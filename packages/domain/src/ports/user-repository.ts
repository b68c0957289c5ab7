import type { DivisionUserListField, ListedUser, UserListField } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { Actor, Author } from '../model/actor.ts';
import type { DivisionId } from '../model/division.ts';
import type { NewUser, PasswordHash, User, UserId } from '../model/user.ts';
import type { Earlier, Once } from './idempotent-creation.ts';

/** What is stored of a user, read under a lock together with the author's present rights. */
export interface LockedUser {
  /** The author as stored at this moment; null for the operator and for one who is gone. */
  readonly actor: Actor | null;
  readonly user: User;
  readonly passwordHash: PasswordHash | null;
  /** Whether this user is an active Leader, and the division has no other. */
  readonly isLastLeader: boolean;
}

/** What becomes of a user. */
export interface UserChange {
  /** The new values. Id, division, date of joining and revision stay as they are, whatever stands here. */
  readonly user: User;
  /** A new hash; absent where the password stays. */
  readonly passwordHash?: PasswordHash;
  /** Whether every session of the user ends with the change. */
  readonly endsSessions: boolean;
}

/** Where users are kept. Uniqueness is its own: no look-up before a write can promise it. */
export interface UserRepository {
  /** The user, or null. */
  find(id: UserId): Promise<User | null>;

  /** A page of the users of a division. */
  list(divisionId: DivisionId, query: ListQuery<UserListField>): Promise<Page<ListedUser>>;

  /** The same page with the fields alone that the list of a division's users shows. */
  listReferences(
    divisionId: DivisionId,
    query: ListQuery<DivisionUserListField>,
  ): Promise<Page<Pick<User, DivisionUserListField>>>;

  /**
   * Stores a user and the audit entry in one transaction. `permit` is called in it, before anything else is looked at,
   * with the author's rights as locked; what it throws rolls everything back. With `once`, a second permitted call of the
   * same author with the same key waits for the first, creates nothing and answers what the first found. A creation that
   * failed leaves its key free.
   *
   * @throws DomainError `username_taken`, `email_taken`; `not_found` when the division is gone.
   */
  create(
    author: Author,
    user: NewUser,
    permit: (actor: Actor | null) => void,
    once?: Once,
  ): Promise<{ readonly user: User } | { readonly earlier: Earlier }>;

  /**
   * Locks the user, calls `change` with what is stored, writes the changed columns and the audit entry, and commits.
   * Reading, deciding and writing cannot be torn apart; what `change` throws rolls everything back. When nothing
   * changed, nothing is written. `change` is called again when the database asks to try again.
   *
   * @throws DomainError `not_found`, `username_taken`, `email_taken`.
   */
  update(author: Author, id: UserId, change: (locked: LockedUser) => UserChange): Promise<User>;

  /** The same for a deletion, sessions included. @throws DomainError `not_found`. */
  delete(author: Author, id: UserId, permit: (locked: LockedUser) => void): Promise<void>;
}
