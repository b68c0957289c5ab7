import type { AuditEntry } from '../../model/audit-entry.ts';
import type { DivisionId } from '../../model/division.ts';
import type { ChangeFeed } from '../../ports/audit-log.ts';
import { concerns } from './audit-log.ts';
import type { Store } from './store.ts';

/** Returns an in-memory feed, in which every entry is settled at once. A position is the id of an entry. */
export const makeInMemoryChanges = (store: Store): ChangeFeed => ({
  list: async (divisionId, { position, side, size }) => {
    const history = store.audit.filter((entry) => concerns(entry, divisionId));
    const at = history.findIndex(({ id }) => id === position);
    if (position !== '' && at < 0) return null;
    const end = position === '' ? history.length : at;
    const rows = side === 'after' ? history.slice(at + 1) : history.slice(0, end).toReversed();
    const entries = rows.slice(0, size);
    const last = entries.at(-1)?.id ?? position;
    return {
      entries: entries.map((entry) => Object.assign({}, entry, { targetName: presentName(store, entry, divisionId) })),
      next: rows.length > size ? last : null,
      after: side === 'after' ? last : (history.at(-1)?.id ?? ''),
    };
  },
});

const presentName = (store: Store, { targetId }: AuditEntry, divisionId: DivisionId): string | null => {
  const user = store.users.get(targetId);
  if (user) return user.divisionId === divisionId ? user.username : null;
  return targetId === divisionId ? (store.divisions.get(targetId)?.name ?? null) : null;
};
