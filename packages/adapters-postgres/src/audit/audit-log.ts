import type { AuditFilter, AuditLog, DivisionId, NamedAuditEntry } from '@chapter/domain';
import { sql } from 'kysely';
import { defineStatement, type Parameters, type Row, type Runner } from '../connection/statement.ts';
import type { InSnapshot } from '../connection/unpooled-clients.ts';
import { toInstant } from '../schema/mapping.ts';
import { db, type Tables } from '../schema/tables.ts';
import { AUDIT_COLUMNS } from './audit-writer.ts';

const COLUMNS = [...AUDIT_COLUMNS, 'target_name'] as const;

type NamedRow = Row<Tables['audit_entry'] & { target_name: string | null }, typeof COLUMNS>;

const toEntry = ([id, at, action, authorId, authorName, requestId, ...rest]: NamedRow): NamedAuditEntry => {
  const [targetType, targetId, divisionId, changes, targetName] = rest;
  const author = { authorId, authorName, requestId };
  return { id, at: toInstant(at), action, ...author, targetType, targetId, divisionId, changes, targetName };
};

const nameIn = (side: 'old' | 'new') =>
  sql<string | null>`(coalesce(n.changes -> 'username', n.changes -> 'name') ->> ${sql.lit(side)})`;

/** Finds the name as the last change of it had left it, otherwise as the first one found it, otherwise the stored name. */
const TARGET_NAME = sql<string | null>`coalesce(
  (select ${nameIn('new')} from audit_entry n where n.target_id = audit_entry.target_id
    and (n.at, n.id) <= (audit_entry.at, audit_entry.id) and ${nameIn('new')} is not null
    order by n.at desc, n.id desc limit 1),
  (select ${nameIn('old')} from audit_entry n where n.target_id = audit_entry.target_id
    and ${nameIn('old')} is not null order by n.at, n.id limit 1),
  (select username from user_account where id = audit_entry.target_id),
  (select name from division where id = audit_entry.target_id))`;

const changedUsername = (side: 'old' | 'new') =>
  sql<string>`lower((${sql.ref('changes')} -> 'username' ->> ${sql.lit(side)}) collate "C")`;

// Usernames are ASCII, so lower() with the collation C folds case like the domain. The query reads the whole trail: an
// index would slow every write for the sake of a rare command.
const FIND_USERS_BY_PAST_NAME = defineStatement(
  'find-users-by-past-name',
  (value: Parameters<{ username: string }>) =>
    db
      .selectFrom('audit_entry')
      .distinct()
      .select('target_id')
      .where('target_type', '=', sql.lit('user'))
      .where((eb) => eb(value('username'), 'in', [changedUsername('old'), changedUsername('new')])),
  { columns: ['target_id'] },
);

// Worded like the definition of the index `audit_entry_left_division`, so that the planner can use the index.
const isMoveFrom = (divisionId: DivisionId) =>
  sql<boolean>`action = 'moveUser' and changes -> 'division' -> 'old' ->> 'id' = ${divisionId}`;

// Not prepared by name, because the text depends on the filter and the command runs rarely.
const selectEntries = ({ userIds, divisionId, since, until, action, limit }: AuditFilter) =>
  defineStatement(
    undefined,
    () =>
      db
        .selectFrom('audit_entry')
        .select([...AUDIT_COLUMNS, TARGET_NAME.as('target_name')])
        .$if(userIds !== undefined, (query) =>
          query.where((eb) => {
            const ids = eb.val(userIds ?? []);
            const isTarget = eb('target_id', '=', eb.fn.any(ids)).and('target_type', '=', 'user');
            return eb('author_id', '=', eb.fn.any(ids)).or(isTarget);
          }),
        )
        .$if(divisionId !== undefined, (query) =>
          query.where((eb) => eb('division_id', '=', divisionId ?? '').or(isMoveFrom(divisionId ?? ''))),
        )
        .$if(since !== undefined, (query) => query.where('at', '>=', since ?? ''))
        .$if(until !== undefined, (query) => query.where('at', '<', until ?? ''))
        .$if(action !== undefined, (query) => query.where('action', '=', action ?? 'createUser'))
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit),
    { columns: COLUMNS },
  );

/** Returns the entries that match a filter, newest first. */
export const findEntries = async (runner: Runner, filter: AuditFilter): Promise<readonly NamedAuditEntry[]> =>
  (await selectEntries(filter).run(runner, {})).map(toEntry);

/** Reads the audit trail. */
export const makeAuditLog = (inSnapshot: InSnapshot): AuditLog => ({
  findUsersByName: async (username) =>
    (await inSnapshot((snapshot) => FIND_USERS_BY_PAST_NAME.run(snapshot, { username }))).map(([id]) => id),
  list: (filter) => inSnapshot((snapshot) => findEntries(snapshot, filter)),
});
