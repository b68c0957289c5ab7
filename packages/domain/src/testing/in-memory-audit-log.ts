import type { AuditLog } from '../ports/audit-log.ts';
import type { Store } from './store.ts';

/** The twin of the audit log. */
export const makeInMemoryAuditLog = (store: Store): AuditLog => ({
  list: async ({ userId, divisionId, since, limit }) =>
    store.audit
      .filter((entry) => userId === undefined || entry.targetId === userId || entry.authorId === userId)
      .filter((entry) => divisionId === undefined || entry.divisionId === divisionId)
      .filter((entry) => since === undefined || entry.at >= since)
      .toReversed()
      .slice(0, limit),
});
