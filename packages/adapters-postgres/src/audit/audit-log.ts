import type { AuditEntry, AuditLog, UserId } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import { toInstant } from '../schema/rows.ts';

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

// Usernames are ASCII, so the lower case of the collation C is that of the domain. It reads the whole trail: an index for
// an operator's rare question would cost every write.
const FIND_USERS = {
  text: `select distinct target_id from audit_entry where target_type = 'user'
    and $1 in (lower((changes -> 'username' ->> 'old') collate "C"), lower((changes -> 'username' ->> 'new') collate "C"))`,
};

/** Reads the audit trail. */
export const makeAuditLog = (runner: Runner): AuditLog => ({
  findUsersByName: async (username) =>
    (await runner.query<readonly [UserId]>(FIND_USERS, [username])).map(([id]) => id),

  list: async ({ userIds, divisionId, since, limit }) => {
    const values: unknown[] = [limit];
    const given = (value: unknown): string => `$${values.push(value)}`;
    const conditions = ['true'];
    if (userIds !== undefined) {
      const ids = `any(${given(userIds)}::uuid[])`;
      conditions.push(`(author_id = ${ids} or (target_id = ${ids} and target_type = 'user'))`);
    }
    if (divisionId !== undefined) conditions.push(`division_id = ${given(divisionId)}`);
    if (since !== undefined) conditions.push(`at >= ${given(since)}`);
    const text = `select id, at, action, author_id, author_name, request_id, target_type, target_id, division_id, changes
      from audit_entry where ${conditions.join(' and ')} order by at desc, id desc limit $1`;
    return (await runner.query<AuditRow>({ text }, values)).map(toEntry);
  },
});
