import type { DivisionListField } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { Division, DivisionId } from '../model/division.ts';
import type { Author } from '../model/user.ts';
import type { DivisionToDelete, DivisionWrite, LockedDivision } from '../writes/division-writes.ts';

/** Stores divisions. */
export interface DivisionRepository {
  /** Returns a division, or null if there is none. */
  find(id: DivisionId): Promise<Division | null>;

  /** Returns a page of all divisions. */
  list(query: ListQuery<DivisionListField>): Promise<Page<Division>>;

  /** Stores a division and its audit entry in one transaction. @throws DomainError `name_taken`. */
  create(author: Author, division: Omit<Division, 'revision'>): Promise<Division>;

  /**
   * Locks the division, calls `decide` with the stored state, applies its decision with the audit entry, and commits. Writes
   * nothing if nothing changed; rolls back if `decide` throws. Calls `decide` again if the database requires a retry.
   *
   * @throws DomainError `not_found`, `name_taken`; errors thrown by `decide`.
   */
  update(
    author: Author,
    id: DivisionId,
    decide: (locked: LockedDivision) => DivisionWrite | 'unchanged',
  ): Promise<Division>;

  /**
   * Deletes a division in the same way. No user can join it after `decide` is called.
   *
   * @throws DomainError `not_found`; errors thrown by `decide`.
   */
  delete(author: Author, id: DivisionId, decide: (locked: DivisionToDelete) => DivisionWrite): Promise<void>;
}
