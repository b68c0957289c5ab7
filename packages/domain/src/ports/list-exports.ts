import type { ExportQuery } from '../lists/export-query.ts';
import type {
  DivisionListField,
  DivisionUserListField,
  ListedUser,
  UserListField,
  UserReference,
} from '../lists/list-fields.ts';
import type { Division, DivisionId } from '../model/division.ts';
import { DomainError } from '../model/errors.ts';
import type { Actor, Author } from '../model/user.ts';

/** How many exports an instance of the service may have open at once. See contract §11. */
export const MAX_EXPORTS = 2;

/** Seconds after which a refused export may be tried again. */
const EXPORT_RETRY_AFTER_SECONDS = 30;

/** The error of an export that is refused because {@link MAX_EXPORTS} are open. */
export const tooManyExports = (): DomainError =>
  new DomainError('unavailable', `${MAX_EXPORTS} exports are running already; try again when one has ended`, {
    retryAfter: EXPORT_RETRY_AFTER_SECONDS,
  });

/** An open export: the items of a list that match a query, as they were when it was opened. */
export interface ListExport<Item> {
  /**
   * The items in the order of the query, in batches of bounded size, each read when it is asked for. Can be iterated once,
   * which ends the export. Throws DomainError `unavailable` if the export was closed or fails.
   */
  readonly batches: AsyncIterable<readonly Item[]>;
  /** Ends the export at once, also while a batch is read. May be called at any time and more than once. */
  readonly close: () => Promise<void>;
}

/**
 * Opens an export that was authorized and whose query was read. A request that needs no rows, such as HEAD, does not call
 * it, so that nothing is recorded.
 *
 * @throws DomainError `unavailable`.
 */
export type OpenExport<Item> = () => Promise<ListExport<Item>>;

/**
 * Opens exports of whole lists. Before it returns, each method locks the author, calls `permit` with the author's present
 * rights, or null for a deleted author, and writes an audit entry with the author, the list and the names of the filters.
 * The entry belongs to the listed division; the entry of an export of divisions belongs to the author's division.
 *
 * All throw DomainError `unavailable` if {@link MAX_EXPORTS} are open, and errors thrown by `permit`. Then no entry is written
 * and no export is open.
 */
export interface ListExports {
  /** Opens an export of the users of a division. */
  users(
    author: Author,
    divisionId: DivisionId,
    query: ExportQuery<UserListField>,
    permit: (actor: Actor | null) => void,
  ): Promise<ListExport<ListedUser>>;

  /** Opens an export of the same users, with only the fields that the list of a division's users shows. */
  references(
    author: Author,
    divisionId: DivisionId,
    query: ExportQuery<DivisionUserListField>,
    permit: (actor: Actor | null) => void,
  ): Promise<ListExport<UserReference>>;

  /** Opens an export of all divisions. `divisionId` is the author's division. */
  divisions(
    author: Author,
    divisionId: DivisionId,
    query: ExportQuery<DivisionListField>,
    permit: (actor: Actor | null) => void,
  ): Promise<ListExport<Division>>;
}
