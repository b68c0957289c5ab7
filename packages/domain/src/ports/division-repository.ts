import type { DivisionListField } from '../lists/list-fields.ts';
import type { ListQuery, Page } from '../lists/list-query.ts';
import type { Division, DivisionId } from '../model/division.ts';
import type { Actor, Author } from '../model/user.ts';

/** What is stored of a division, read under a lock together with the author's present rights. */
export interface LockedDivision {
  /** The author as stored at this moment; null for the operator and for a user who was deleted. */
  readonly actor: Actor | null;
  readonly division: Division;
}

/** Where divisions are kept. */
export interface DivisionRepository {
  /** The division, or null. */
  find(id: DivisionId): Promise<Division | null>;

  /** A page of all divisions. */
  list(query: ListQuery<DivisionListField>): Promise<Page<Division>>;

  /** Stores a division and the audit entry in one transaction. @throws DomainError `name_taken`. */
  create(author: Author, division: Omit<Division, 'revision'>): Promise<Division>;

  /**
   * Locks the division, calls `change` with what is stored and with the author's rights as locked, writes the changed
   * columns and the audit entry, and commits; what `change` throws rolls everything back. When nothing changed, nothing
   * is written. `change` is called again when the database asks to try again.
   *
   * @throws DomainError `not_found`, `name_taken`.
   */
  update(author: Author, id: DivisionId, change: (locked: LockedDivision) => Division): Promise<Division>;
}
