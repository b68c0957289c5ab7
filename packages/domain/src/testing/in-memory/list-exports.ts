import { divisionListFields, divisionUserListFields, type ListField, userListFields } from '../../lists/list-fields.ts';
import { exportedWith } from '../../lists/list-query.ts';
import { type AuditAction, divisionAudit } from '../../model/audit-entry.ts';
import type { DivisionId } from '../../model/division.ts';
import { unavailable } from '../../model/errors.ts';
import { type ExportList, type ListExports, MAX_EXPORTS, tooManyExports } from '../../ports/list-exports.ts';
import { pageOf } from './page-of.ts';
import { divisionOf, membersOf, referencesOf, type Store, storedActor, writeEntry } from './store.ts';

/** Few, so that short lists have several batches too. */
const ITEMS_PER_BATCH = 2;

/** Returns in-memory exports. */
export const makeInMemoryListExports = (store: Store): ListExports => {
  let openExports = 0;

  const exportOf =
    <Field extends string, Item extends Readonly<Record<Field, unknown>>>(
      action: AuditAction,
      fields: Readonly<Record<Field, ListField>>,
      rowsOf: (divisionId: DivisionId) => readonly Item[],
    ): ExportList<Item, Field> =>
    async (author, divisionId, query, permit) => {
      if (openExports === MAX_EXPORTS) throw tooManyExports();
      permit(storedActor(store, author.userId));
      openExports += 1;
      writeEntry(store, author, divisionAudit(action, divisionId, exportedWith(query)));
      const rows = rowsOf(divisionId);
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
    users: exportOf('exportUsers', userListFields, (divisionId) => membersOf(store, divisionId)),
    references: exportOf('exportDivisionUsers', divisionUserListFields, (divisionId) =>
      referencesOf(store, divisionId),
    ),
    divisions: exportOf('exportDivisions', divisionListFields, () => [...store.divisions.values()].map(divisionOf)),
  };
};
