import type { AuditEntry } from '../../model/audit-entry.ts';
import type { DivisionId, DivisionReference } from '../../model/division.ts';
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
      .filter((entry) => divisionId === undefined || entry.divisionId === divisionId || hasLeft(entry, divisionId))
      .filter((entry) => since === undefined || entry.at >= since)
      .filter((entry) => until === undefined || entry.at < until)
      .filter((entry) => action === undefined || entry.action === action)
      .toReversed()
      .slice(0, limit)
      .map((entry) => Object.assign({}, entry, { targetName: targetNameOf(store, entry) })),
});

const nameIn = ({ changes }: AuditEntry, side: 'old' | 'new'): string | null =>
  ((changes['username'] ?? changes['name'])?.[side] ?? null) as string | null;

/** Finds the name as the last change of it had left it, otherwise as the first one found it, otherwise the stored name. */
const targetNameOf = (store: Store, entry: AuditEntry): string | null => {
  const entries = store.audit.filter(({ targetId }) => targetId === entry.targetId);
  const at = entries.indexOf(entry);
  const named = (side: 'old' | 'new') => (found: AuditEntry) => nameIn(found, side) !== null;
  const last = entries.slice(0, at + 1).findLast(named('new'));
  if (last) return nameIn(last, 'new');
  const first = entries.find(named('old'));
  if (first) return nameIn(first, 'old');
  return store.users.get(entry.targetId)?.username ?? store.divisions.get(entry.targetId)?.name ?? null;
};

const hasLeft = ({ action, changes }: AuditEntry, divisionId: DivisionId): boolean =>
  action === 'moveUser' && (changes['division']?.old as DivisionReference | undefined)?.id === divisionId;
