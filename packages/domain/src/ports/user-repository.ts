import type { DivisionUserListField, ListedUser, UserListField, UserReference } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { DivisionId } from '../model/division.ts';
import type { SessionId } from '../model/session.ts';
import type { Actor, Author, NewUser, PasswordHash, User, UserId } from '../model/user.ts';
import type { DecideUserWrite, LockedUser } from '../writes/user-writes.ts';

/** An idempotency key and the request that uses it. Stored for 24 hours. See contract §7. */
export interface IdempotentCreation {
  /** The key chosen by the caller. Keys of different authors are independent. */
  readonly key: string;
  /** The canonical text of the request, without the password. */
  readonly request: string;
}

/** The earlier creation with the same idempotency key. */
export interface PriorCreation {
  /** The canonical text of the first request, without the password. */
  readonly request: string;
  /** The user as the first creation returned it. */
  readonly user: User;
  /**
   * The hash that the first creation stored, if it is still the user's. Null if the password has changed since or the
   * user was deleted.
   */
  readonly passwordHash: PasswordHash | null;
}

/** The created user, or an earlier creation with the same key. */
export type CreatedUser = { readonly user: User } | { readonly prior: PriorCreation };

/** Checks the author's locked rights (null for the operator and for a deleted author); throws to refuse the creation. */
export type PermitCreation = (actor: Actor | null) => void;

/** The user that a write locks. */
export interface WrittenUser {
  readonly id: UserId;
  /** The division that the user is to move to, if any. */
  readonly divisionId?: DivisionId;
  /** The author and the user as the request has read them; absent if the decision depends on the password hash. */
  readonly known?: (Pick<LockedUser, 'user'> & { readonly actor: Actor }) | undefined;
}

/** Stores users and keeps their names unique, which a look-up before a write cannot guarantee. */
export interface UserRepository {
  /** Returns a user, or null. */
  find(id: UserId): Promise<User | null>;

  /** Returns a page of the users of a division. */
  list(divisionId: DivisionId, query: ListQuery<UserListField>): Promise<Page<ListedUser>>;

  /** Returns the same page with only the fields that the list of a division's users shows. */
  listReferences(id: DivisionId, query: ListQuery<DivisionUserListField>): Promise<Page<UserReference>>;

  /**
   * Does what `create` does before it writes, and locks nothing: calls `permit` with the author's rights, then looks up the key
   * and the names. Returns the earlier creation with the same key, or null if nothing prevents the creation at the moment.
   *
   * @throws DomainError `username_taken`, `email_taken`; errors thrown by `permit`.
   */
  checkCreation(
    author: Author,
    user: Pick<NewUser, 'username' | 'email'>,
    permit: PermitCreation,
    idempotency?: IdempotentCreation,
  ): Promise<PriorCreation | null>;

  /**
   * Stores a user and the audit entry in one transaction, which first calls `permit` with the author's locked rights.
   * With `idempotency`, a second permitted call of the same author with the same key waits for the first. It creates
   * nothing and returns the earlier creation. A failed creation does not use up its key.
   *
   * @throws DomainError `username_taken`, `email_taken`; `not_found` for a deleted division; errors thrown by `permit`.
   */
  create(author: Author, user: NewUser, permit: PermitCreation, idempotency?: IdempotentCreation): Promise<CreatedUser>;

  /**
   * Locks the user, and the division with `divisionId` if the write is a move. Calls `decide` with the stored state, applies
   * its decision with the audit entry, and commits. Writes nothing if nothing changed; rolls back if `decide` throws. Calls
   * `decide` again if the database requires a retry. Returns the user as stored then, or as they were deleted.
   *
   * With `known`, `decide` may first be called with what is known, a null for the password hash, and no flags of a last Leader. If
   * the change depends on none of these, it is made if author and user are still the same. Otherwise the result counts for nothing.
   *
   * @throws DomainError `not_found` for an unknown user or division, `username_taken`, `email_taken`; errors thrown by `decide`.
   */
  write(author: Author, target: WrittenUser, decide: DecideUserWrite): Promise<User>;

  /**
   * Ends one active session of a user, or all if `sessionId` is null, and writes the entry that `endedSessions`
   * returns. Returns the number of ended sessions. Does not change the user.
   *
   * @throws DomainError `not_found` for an unknown user.
   */
  endSessions(author: Author, id: UserId, sessionId: SessionId | null): Promise<number>;
}
