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

  list: async ({ userIds, divisionId, since, limit }) =>
    store.audit
      .filter(({ targetId, authorId }) => !userIds || userIds.includes(targetId) || userIds.includes(authorId ?? ''))
      .filter((entry) => divisionId === undefined || entry.divisionId === divisionId || hasLeft(entry, divisionId))
      .filter((entry) => since === undefined || entry.at >= since)
      .toReversed()
      .slice(0, limit),
});

const hasLeft = ({ action, changes }: AuditEntry, divisionId: DivisionId): boolean =>
  action === 'moveUser' && (changes['division']?.old as DivisionReference | undefined)?.id === divisionId;
