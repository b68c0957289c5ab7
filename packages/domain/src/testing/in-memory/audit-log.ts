import { type AuditEntry, type Renaming, targetNameAt } from '../../model/audit-entry.ts';
import type { DivisionId } from '../../model/division.ts';
import { foldCase } from '../../model/text.ts';
import type { AuditLog } from '../../ports/audit-log.ts';
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
export const concerns = (entry: AuditEntry, id: DivisionId): boolean =>
  entry.divisionId === id || entry.leftDivisionId === id;

const targetNameOf = (store: Store, entry: AuditEntry): string | null => {
  const renamings = store.audit.flatMap(({ at, changes, id, targetId }): Renaming[] => {
    const change = changes['username'] ?? changes['name'];
    return change && targetId === entry.targetId ? [{ at, id, ...(change as Pick<Renaming, 'old' | 'new'>) }] : [];
  });
  const present = store.users.get(entry.targetId)?.username ?? store.divisions.get(entry.targetId)?.name;
  return targetNameAt(entry, renamings, present ?? null);
};
