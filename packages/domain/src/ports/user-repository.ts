import type { DivisionUserListField, ListedUser, UserListField, UserReference } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { DivisionId } from '../model/division.ts';
import type { SessionId } from '../model/session.ts';
import type { Author, NewUser, User, UserId } from '../model/user.ts';
import type { DecideUserWrite } from '../writes/user-writes.ts';
import type { CreatedUser, IdempotentCreation, PermitCreation, PriorCreation } from './idempotent-creation.ts';

/** The user that a write locks, and the division that the user is to move to, if any. */
export interface WrittenUser {
  readonly id: UserId;
  readonly divisionId?: DivisionId;
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
   * Stores a user and the audit entry in one transaction, which first calls `permit` with the author's locked rights. With
   * `idempotency`, a second permitted call of the same author with the same key waits for the first. It creates nothing and
   * returns the earlier creation. A failed creation does not use up its key.
   *
   * @throws DomainError `username_taken`, `email_taken`; `not_found` for a deleted division; errors thrown by `permit`.
   */
  create(author: Author, user: NewUser, permit: PermitCreation, idempotency?: IdempotentCreation): Promise<CreatedUser>;

  /**
   * Locks the user, and the division with `divisionId` if the write is a move. Calls `decide` with the stored state, applies
   * its decision with the audit entry, and commits. Writes nothing if nothing changed; rolls back if `decide` throws. Calls
   * `decide` again if the database requires a retry. Returns the user as stored then, or as they were deleted.
   *
   * @throws DomainError `not_found` for an unknown user or division, `username_taken`, `email_taken`; errors thrown by `decide`.
   */
  write(author: Author, target: WrittenUser, decide: DecideUserWrite): Promise<User>;

  /**
   * Ends one active session of a user, or all if `sessionId` is null, and writes the entry that `endedSessions` returns.
   * Returns the number of ended sessions. Does not change the user.
   *
   * @throws DomainError `not_found` for an unknown user.
   */
  endSessions(author: Author, id: UserId, sessionId: SessionId | null): Promise<number>;
}
