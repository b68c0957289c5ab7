import type { AuditEntry, AuditLog } from '@chapter/domain';
import { toInstant } from './rows.ts';
import type { Runner } from './statement.ts';

type AuditRow = readonly [
  id: string,
  at: string,
  action: AuditEntry['action'],
  authorId: string | null,
  authorName: string,
  requestId: string | null,
  targetType: AuditEntry['targetType'],
  targetId: string,
  divisionId: string,
  changes: AuditEntry['changes'],
];

const toEntry = ([id, at, action, authorId, authorName, requestId, ...rest]: AuditRow): AuditEntry => {
  const [targetType, targetId, divisionId, changes] = rest;
  const author = { authorId, authorName, requestId };
  return { id, at: toInstant(at), action, ...author, targetType, targetId, divisionId, changes };
};

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
