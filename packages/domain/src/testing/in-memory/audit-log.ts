import { type AuditEntry, type Renaming, targetNameAt } from '../../model/audit-entry.ts';
import type { DivisionId } from '../../model/division.ts';
import { foldCase } from '../../model/text.ts';
import type { AuditLog, ChangeFeed } from '../../ports/audit-log.ts';
import type { Store } from './store.ts';

/** Returns an in-memory audit log. */
export const makeInMemoryAuditLog = (store: Store): AuditLog => ({
  findUsersByName: async (username) => {
    const isName = (value: unknown): boolean => typeof value === 'string' && foldCase(value) === username;
    const named = store.audit.filter(({ targetType, changes: { username: change } }) =>
      targetType === 'user' && change ? isName(change.old) || isName(change.new) : false,
    );
    return [...new Set(named.map(({ targetId }) => targetId))];
  },

  list: async ({ userIds, divisionId, since, until, action, limit }) =>
    store.audit
      .filter(({ targetId, authorId }) => !userIds || userIds.includes(targetId) || userIds.includes(authorId ?? ''))
      .filter((entry) => divisionId === undefined || concerns(entry, divisionId))
      .filter((entry) => since === undefined || entry.at >= since)
      .filter((entry) => until === undefined || entry.at < until)
      .filter((entry) => action === undefined || entry.action === action)
      .toReversed()
      .slice(0, limit)
      .map((entry) => Object.assign({}, entry, { targetName: targetNameOf(store, entry) })),
});

/** Whether an entry is about a division, or about a user who was in it before or after the change. */
const concerns = (entry: AuditEntry, id: DivisionId): boolean => entry.divisionId === id || entry.leftDivisionId === id;

const targetNameOf = (store: Store, entry: AuditEntry): string | null => {
  const renamings = store.audit.flatMap(({ at, changes, id, targetId }): Renaming[] => {
    const change = changes['username'] ?? changes['name'];
    return change && targetId === entry.targetId ? [{ at, id, ...(change as Pick<Renaming, 'old' | 'new'>) }] : [];
  });
  const present = store.users.get(entry.targetId)?.username ?? store.divisions.get(entry.targetId)?.name;
  return targetNameAt(entry, renamings, present ?? null);
};

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
