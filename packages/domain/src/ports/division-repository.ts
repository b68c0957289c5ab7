import type { Actor, Author } from '../actor.ts';
import type { Division, DivisionId } from '../division.ts';
import type { DivisionListField } from '../list-fields.ts';
import type { ListQuery, Page } from '../list-query.ts';

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
  update(
    author: Author,
    id: DivisionId,
    change: (locked: { readonly actor: Actor | null; readonly division: Division }) => Division,
  ): Promise<Division>;
}
