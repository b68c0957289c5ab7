import type { AuditEntry, AuditFilter, AuditLog } from '@chapter/domain';
import { sql } from 'kysely';
import { defineStatement, type Parameters, type Row, type Runner } from '../connection/statement.ts';
import { toInstant } from '../schema/mapping.ts';
import { db, type Tables } from '../schema/tables.ts';
import { AUDIT_COLUMNS } from './audit-columns.ts';

const toEntry = ([id, at, action, authorId, authorName, requestId, ...rest]: Row<
  Tables['audit_entry'],
  typeof AUDIT_COLUMNS
>): AuditEntry => {
  const [targetType, targetId, divisionId, changes] = rest;
  const author = { authorId, authorName, requestId };
  return { id, at: toInstant(at), action, ...author, targetType, targetId, divisionId, changes };
};

const changedUsername = (side: 'old' | 'new') =>
  sql<string>`lower((${sql.ref('changes')} -> 'username' ->> ${sql.lit(side)}) collate "C")`;

// Usernames are ASCII, so the lower case of the collation C is that of the domain. It reads the whole trail: an index for
// an operator's rare question would cost every write.
const FIND_USERS = defineStatement(
  'find-users-by-past-name',
  ({ username }: Parameters<{ username: string }>) =>
    db
      .selectFrom('audit_entry')
      .distinct()
      .select('target_id')
      .where('target_type', '=', sql.lit('user'))
      .where((eb) => eb(username, 'in', [changedUsername('old'), changedUsername('new')])),
  { columns: ['target_id'] },
);

// Without a name: it depends on what is asked, and an operator asks seldom.
const listEntries = ({ userIds, divisionId, since, limit }: AuditFilter) =>
  defineStatement(
    undefined,
    () =>
      db
        .selectFrom('audit_entry')
        .select(AUDIT_COLUMNS)
        .$if(userIds !== undefined, (query) =>
          query.where((eb) => {
            const ids = eb.val(userIds ?? []);
            const isTarget = eb('target_id', '=', eb.fn.any(ids)).and('target_type', '=', 'user');
            return eb('author_id', '=', eb.fn.any(ids)).or(isTarget);
          }),
        )
        .$if(divisionId !== undefined, (query) => query.where('division_id', '=', divisionId ?? ''))
        .$if(since !== undefined, (query) => query.where('at', '>=', since ?? ''))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    { columns: AUDIT_COLUMNS },
  );

/** Reads the audit trail. */
export const makeAuditLog = (runner: Runner): AuditLog => ({
  findUsersByName: async (username) => (await FIND_USERS.run(runner, { username })).map(([id]) => id),
  list: async (filter) => (await listEntries(filter).run(runner, {})).map(toEntry),
});
