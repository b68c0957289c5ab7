import type { DivisionUserListField, ListedUser, UserListField, UserReference } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { DivisionId } from '../model/division.ts';
import type { SessionId } from '../model/session.ts';
import type { Author, NewUser, User, UserId } from '../model/user.ts';
import type { CreatedUser, IdempotentCreation, PermitCreation } from './idempotent-creation.ts';
import type { LockedUser, UserChange } from './user-change.ts';

/** Stores users and keeps their names unique: no look-up before a write can promise that. */
export interface UserRepository {
  find(id: UserId): Promise<User | null>;

  /** A page of the users of a division. */
  list(divisionId: DivisionId, query: ListQuery<UserListField>): Promise<Page<ListedUser>>;

  /** The same page with only the fields that the list of a division's users shows. */
  listReferences(id: DivisionId, query: ListQuery<DivisionUserListField>): Promise<Page<UserReference>>;

  /**
   * Stores a user and the audit entry in one transaction. `permit` is called in it first, with the author's rights as
   * locked. With `once`, a second permitted call of the same author with the same key waits for the first, creates nothing
   * and returns what the first created. A creation that fails leaves its key free.
   *
   * @throws DomainError `username_taken`, `email_taken`; `not_found` for a deleted division; what `permit` throws.
   */
  create(author: Author, user: NewUser, permit: PermitCreation, once?: IdempotentCreation): Promise<CreatedUser>;

  /**
   * Locks the user, calls `change` with what is stored, writes changed columns and the audit entry, and commits. Writes
   * nothing if nothing changed; rolls back if `change` throws; calls it again if the database asks for another try.
   *
   * @throws DomainError `not_found`, `username_taken`, `email_taken`; what `change` throws.
   */
  update(author: Author, id: UserId, change: (locked: LockedUser) => UserChange): Promise<User>;

  /**
   * Ends one active session of a user, or all where `sessionId` is null, and writes an audit entry where one ended. Returns
   * how many ended; the user stays as they are.
   *
   * @throws DomainError `not_found` for an unknown user.
   */
  endSessions(author: Author, id: UserId, sessionId: SessionId | null): Promise<number>;

  /** Deletes a user and their sessions in the same way. @throws DomainError `not_found`; what `permit` throws. */
  delete(author: Author, id: UserId, permit: (locked: LockedUser) => void): Promise<void>;
}
