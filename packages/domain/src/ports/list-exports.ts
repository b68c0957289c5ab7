import type {
  DivisionListField,
  DivisionUserListField,
  ListedUser,
  UserListField,
  UserReference,
} from '../lists/list-fields.ts';
import type { ExportQuery } from '../lists/list-query.ts';
import type { Division, DivisionId } from '../model/division.ts';
import { DomainError } from '../model/errors.ts';
import type { Actor, Author } from '../model/user.ts';

/** How many exports an instance of the service may have open at once. See contract §11. */
export const MAX_EXPORTS = 2;

/** Seconds after which a refused export may be tried again. See contract §11. */
export const EXPORT_RETRY_AFTER_SECONDS = 30;

/** The error of an export that is refused because {@link MAX_EXPORTS} are open. */
export const tooManyExports = (): DomainError =>
  new DomainError('unavailable', `${MAX_EXPORTS} exports are running already; try again when one has ended`, {
    retryAfter: EXPORT_RETRY_AFTER_SECONDS,
  });

/** An open export: the items of a list that match a query, as they were when it was opened. */
export interface ListExport<Item> {
  /**
   * The items in the order of the query, in batches of bounded size, each read when it is asked for. Can be iterated
   * once, which ends the export. Throws DomainError `unavailable` if the export was closed or fails.
   */
  readonly batches: AsyncIterable<readonly Item[]>;
  /** Ends the export at once, also while a batch is read. May be called at any time and more than once. */
  readonly close: () => Promise<void>;
}

/**
 * Opens an export that was authorized and whose query was read. A request that needs no rows, such as HEAD, does not
 * call it, so that nothing is recorded.
 *
 * @throws DomainError `unavailable`.
 */
export type OpenExport<Item> = () => Promise<ListExport<Item>>;

/**
 * Opens the export of a list. `divisionId` is the listed division; for an export of divisions, it is the author's.
 * Before it returns, it locks the author, calls `permit` with the author's present rights, or null for a deleted
 * author, and writes an audit entry of this division with the author, the list and the names of the filters.
 *
 * @throws DomainError `unavailable` if {@link MAX_EXPORTS} are open, and errors thrown by `permit`. Then no entry is written and
 *   no export is open.
 */
export type ExportList<Item, Field extends string> = (
  author: Author,
  divisionId: DivisionId,
  query: ExportQuery<Field>,
  permit: (actor: Actor | null) => void,
) => Promise<ListExport<Item>>;

/** Exports of whole lists: of the users of a division, with all fields of lists or as references, and of all divisions. */
export interface ListExports {
  readonly users: ExportList<ListedUser, UserListField>;
  readonly references: ExportList<UserReference, DivisionUserListField>;
  readonly divisions: ExportList<Division, DivisionListField>;
}
