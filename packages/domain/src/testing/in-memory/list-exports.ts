import { type ExportQuery, exportedWith } from '../../lists/export-query.ts';
import { divisionListFields, divisionUserListFields, type ListField, userListFields } from '../../lists/list-fields.ts';
import type { AuditAction } from '../../model/audit-entry.ts';
import type { DivisionId } from '../../model/division.ts';
import { unavailable } from '../../model/errors.ts';
import { pick } from '../../model/pick.ts';
import type { Actor, Author } from '../../model/user.ts';
import { type ListExport, type ListExports, MAX_EXPORTS, tooManyExports } from '../../ports/list-exports.ts';
import { pageOf } from './page-of.ts';
import { divisionOf, membersOf, type Store, storedActor, writeEntry } from './store.ts';

/** Few, so that short lists have several batches too. */
const ITEMS_PER_BATCH = 2;

/** Returns in-memory exports. */
export const makeInMemoryListExports = (store: Store): ListExports => {
  let openExports = 0;

  const open = async <Field extends string, Item extends Readonly<Record<Field, unknown>>>(
    entry: { readonly author: Author; readonly action: AuditAction; readonly divisionId: DivisionId },
    fields: Readonly<Record<Field, ListField>>,
    rows: readonly Item[],
    query: ExportQuery<Field>,
    permit: (actor: Actor | null) => void,
  ): Promise<ListExport<Item>> => {
    if (openExports === MAX_EXPORTS) throw tooManyExports();
    const { author, action, divisionId } = entry;
    permit(storedActor(store, author.userId));
    openExports += 1;
    writeEntry(store, author, action, { type: 'division', id: divisionId, divisionId }, exportedWith(query));
    const { items } = pageOf(fields, rows, { ...query, size: rows.length, position: null, counted: false });
    let isOpen = true;
    const close = async (): Promise<void> => {
      if (isOpen) openExports -= 1;
      isOpen = false;
    };
    const requireOpen = (): void => {
      if (!isOpen) throw unavailable();
    };
    async function* read() {
      try {
        for (let at = 0; at < items.length; at += ITEMS_PER_BATCH) {
          requireOpen();
          yield items.slice(at, at + ITEMS_PER_BATCH);
        }
        requireOpen();
      } finally {
        await close();
      }
    }
    return { batches: read(), close };
  };

  return {
    users: (author, divisionId, query, permit) =>
      open({ author, action: 'exportUsers', divisionId }, userListFields, membersOf(store, divisionId), query, permit),
    references: (author, divisionId, query, permit) => {
      const members = membersOf(store, divisionId).map((user) => pick(user, ['id', 'username']));
      return open(
        { author, action: 'exportDivisionUsers', divisionId },
        divisionUserListFields,
        members,
        query,
        permit,
      );
    },
    divisions: (author, divisionId, query, permit) => {
      const divisions = [...store.divisions.values()].map(divisionOf);
      return open({ author, action: 'exportDivisions', divisionId }, divisionListFields, divisions, query, permit);
    },
  };
};
