import type { DivisionListField } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { Division, DivisionId } from '../model/division.ts';
import type { Actor, Author } from '../model/user.ts';

/** A stored division, read under a lock together with the author's current rights. */
export interface LockedDivision {
  /** The author as stored now; null for the operator and for a deleted author. */
  readonly actor: Actor | null;
  readonly division: Division;
}

/** A stored division that is locked against new members. */
export interface DivisionToDelete extends LockedDivision {
  /** Whether the division has users, active or not. */
  readonly hasMembers: boolean;
}

/** Stores divisions. */
export interface DivisionRepository {
  /** Returns a division, or null if there is none. */
  find(id: DivisionId): Promise<Division | null>;

  /** Returns a page of all divisions. */
  list(query: ListQuery<DivisionListField>): Promise<Page<Division>>;

  /** Stores a division and its audit entry in one transaction. @throws DomainError `name_taken`. */
  create(author: Author, division: Omit<Division, 'revision'>): Promise<Division>;

  /**
   * Locks the division, calls `change` with the stored state and the author's locked rights, writes the changed columns and
   * the audit entry, and commits. Writes nothing if nothing changed; rolls back if `change` throws. Calls `change` again if
   * the database requires a retry.
   *
   * @throws DomainError `not_found`, `name_taken`; errors thrown by `change`.
   */
  update(author: Author, id: DivisionId, change: (locked: LockedDivision) => Division): Promise<Division>;

  /**
   * Deletes a division in the same way. No user can join it after `permit` is called. `permit` must throw if the division has
   * members.
   *
   * @throws DomainError `not_found`; errors thrown by `permit`.
   */
  delete(author: Author, id: DivisionId, permit: (locked: DivisionToDelete) => void): Promise<void>;
}
