import type { DivisionUserListField, ListedUser, UserListField, UserReference } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { DivisionId } from '../model/division.ts';
import type { SessionId } from '../model/session.ts';
import type { Author, NewUser, User, UserId } from '../model/user.ts';
import type { CreatedUser, IdempotentCreation, PermitCreation } from './idempotent-creation.ts';
import type { LockedUser, MoveChange, UserChange } from './user-change.ts';

/** Stores users and keeps their names unique, which a look-up before a write cannot guarantee. */
export interface UserRepository {
  find(id: UserId): Promise<User | null>;

  /** Returns a page of the users of a division. */
  list(divisionId: DivisionId, query: ListQuery<UserListField>): Promise<Page<ListedUser>>;

  /** Returns the same page with only the fields that the list of a division's users shows. */
  listReferences(id: DivisionId, query: ListQuery<DivisionUserListField>): Promise<Page<UserReference>>;

  /**
   * Stores a user and the audit entry in one transaction, which first calls `permit` with the author's locked rights. With
   * `idempotency`, a second permitted call of the same author with the same key waits for the first. It creates nothing and
   * returns the earlier creation. A failed creation does not use up its key.
   *
   * @throws DomainError `username_taken`, `email_taken`; `not_found` for a deleted division; errors thrown by `permit`.
   */
  create(author: Author, user: NewUser, permit: PermitCreation, idempotency?: IdempotentCreation): Promise<CreatedUser>;

  /**
   * Locks the user, calls `change` with the stored state, writes changed columns and the audit entry, and commits. Writes
   * nothing if nothing changed; rolls back if `change` throws. Calls `change` again if the database requires a retry.
   *
   * @throws DomainError `not_found`, `username_taken`, `email_taken`; errors thrown by `change`.
   */
  update(author: Author, id: UserId, change: (locked: LockedUser) => UserChange): Promise<User>;

  /**
   * Moves a user to another division in the same way. `change` also gets the new division; the division that it
   * returns is ignored. Voids the user's password link. Password and sessions stay.
   *
   * @throws DomainError `not_found` for an unknown user or division; errors thrown by `change`.
   */
  move(author: Author, id: UserId, divisionId: DivisionId, change: MoveChange): Promise<User>;

  /**
   * Ends one active session of a user, or all if `sessionId` is null, and writes an audit entry if a session ended. Returns
   * the number of ended sessions. Does not change the user.
   *
   * @throws DomainError `not_found` for an unknown user.
   */
  endSessions(author: Author, id: UserId, sessionId: SessionId | null): Promise<number>;

  /**
   * Locks a user, calls `permit` with the stored state, deletes the user and their sessions, and writes the audit entry.
   *
   * @throws DomainError `not_found`; errors thrown by `permit`.
   */
  delete(author: Author, id: UserId, permit: (locked: LockedUser) => void): Promise<void>;
}
