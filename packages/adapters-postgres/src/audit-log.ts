import type { AuditEntry, AuditLog } from '@chapter/domain';
import { toInstant } from './rows.ts';
import type { Runner } from './statement.ts';

interface AuditRow {
  readonly id: string;
  readonly at: string;
  readonly action: AuditEntry['action'];
  readonly author_id: string | null;
  readonly author_name: string;
  readonly request_id: string | null;
  readonly target_type: AuditEntry['targetType'];
  readonly target_id: string;
  readonly division_id: string;
  readonly changes: AuditEntry['changes'];
}

const toEntry = (row: AuditRow): AuditEntry => ({
  id: row.id,
  at: toInstant(row.at),
  action: row.action,
  authorId: row.author_id,
  authorName: row.author_name,
  requestId: row.request_id,
  targetType: row.target_type,
  targetId: row.target_id,
  divisionId: row.division_id,
  changes: row.changes,
});

/** Reads the audit trail. */
export const makeAuditLog = (runner: Runner): AuditLog => ({
  list: async ({ userId, divisionId, since, limit }) => {
    const values: unknown[] = [limit];
    const given = (value: unknown): string => `$${values.push(value)}`;
    const conditions = ['true'];
    if (userId !== undefined) {
      const id = given(userId);
      conditions.push(`(author_id = ${id} or (target_id = ${id} and target_type = 'user'))`);
    }
    if (divisionId !== undefined) conditions.push(`division_id = ${given(divisionId)}`);
    if (since !== undefined) conditions.push(`at >= ${given(since)}`);
    const text = `select id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes
      from audit_entry where ${conditions.join(' and ')} order by at desc, id desc limit $1`;
    return (await runner.query<AuditRow>({ text }, values)).map(toEntry);
  },
});
