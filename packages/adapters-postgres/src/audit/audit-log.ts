import {
  type AuditEntry,
  type AuditFilter,
  type AuditLog,
  type NamedAuditEntry,
  NO_TARGET,
  type Renaming,
  targetNameAt,
} from '@chapter/domain/ports';
import { sql } from 'kysely';
import { anyIdOf, defineStatement, type Parameters, type Row, type Runner } from '../connection/statement.ts';
import type { InSnapshot } from '../connection/unpooled-clients.ts';
import { toInstant } from '../schema/mapping.ts';
import { db, type Tables } from '../schema/tables.ts';
import { AUDIT_COLUMNS } from './audit-writer.ts';

/** Returns the entry of a row. */
export const toEntry = ([id, at, action, authorId, authorName, requestId, ...rest]: Row<
  Tables['audit_entry'],
  typeof AUDIT_COLUMNS
>): AuditEntry => {
  const [targetType, targetId, divisionId, leftDivisionId, changes] = rest;
  const author = { authorId, authorName, requestId };
  return { id, at: toInstant(at), action, ...author, targetType, targetId, divisionId, leftDivisionId, changes };
};

const changedName = sql`coalesce(${sql.ref('changes')} -> 'username', ${sql.ref('changes')} -> 'name')`;

const FIND_RENAMINGS = defineStatement(
  'find-renamings',
  (value: Parameters<{ ids: readonly string[] }>) =>
    db
      .selectFrom('audit_entry')
      .select([
        'target_id',
        'at',
        'id',
        sql<string | null>`${changedName} ->> 'old'`.as('old'),
        sql<string | null>`${changedName} ->> 'new'`.as('new'),
      ])
      .where('target_id', '=', anyIdOf(value('ids')))
      .where(sql<boolean>`${changedName} is not null`)
      .orderBy('at')
      .orderBy('id'),
  { columns: ['target_id', 'at', 'id', 'old', 'new'] },
);

const FIND_PRESENT_NAMES = defineStatement(
  'find-present-names',
  (value: Parameters<{ ids: readonly string[] }>) =>
    db
      .selectFrom('user_account')
      .select(['id', 'username as name'])
      .where('id', '=', anyIdOf(value('ids')))
      .unionAll(
        db
          .selectFrom('division')
          .select(['id', 'name'])
          .where('id', '=', anyIdOf(value('ids'))),
      ),
  { columns: ['id', 'name'] },
);

const withTargetNames = async (runner: Runner, entries: readonly AuditEntry[]): Promise<readonly NamedAuditEntry[]> => {
  // The trail itself has no name, and may have entries without end.
  const ids = [...new Set(entries.map(({ targetId }) => targetId))].filter((id) => id !== NO_TARGET);
  const renamings = Map.groupBy(await FIND_RENAMINGS.run(runner, { ids }), ([targetId]) => targetId);
  const histories = new Map(
    Array.from(renamings, ([targetId, rows]) => [
      targetId,
      rows.map(([, at, id, old, name]): Renaming => ({ at: toInstant(at), id, old, new: name })),
    ]),
  );
  const present = new Map(await FIND_PRESENT_NAMES.run(runner, { ids }));
  return entries.map((entry) => {
    const { targetId } = entry;
    const targetName = targetNameAt(entry, histories.get(targetId) ?? [], present.get(targetId) ?? null);
    return Object.assign({}, entry, { targetName });
  });
};

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

// Not prepared by name, because the text depends on the filter and the command runs rarely.
const selectEntries = ({ userIds, divisionId, since, until, action, limit }: AuditFilter) =>
  defineStatement(
    undefined,
    () => {
      let query = db.selectFrom('audit_entry').select(AUDIT_COLUMNS).orderBy('at', 'desc').orderBy('id', 'desc');
      if (userIds !== undefined) {
        query = query.where((eb) => {
          const isOne = eb.fn.any(eb.val(userIds));
          return eb('author_id', '=', isOne).or(eb('target_id', '=', isOne).and('target_type', '=', 'user'));
        });
      }
      if (divisionId !== undefined) {
        query = query.where((eb) => eb('division_id', '=', divisionId).or('left_division_id', '=', divisionId));
      }
      if (since !== undefined) query = query.where('at', '>=', since);
      if (until !== undefined) query = query.where('at', '<', until);
      if (action !== undefined) query = query.where('action', '=', action);
      return query.limit(limit);
    },
    { columns: AUDIT_COLUMNS },
  );

/** Returns the entries that match a filter, newest first. */
export const findEntries = async (runner: Runner, filter: AuditFilter): Promise<readonly AuditEntry[]> =>
  (await selectEntries(filter).run(runner, {})).map(toEntry);

/** Reads the audit trail. */
export const makeAuditLog = (inSnapshot: InSnapshot): AuditLog => ({
  findUsersByName: async (username) =>
    (await inSnapshot((snapshot) => FIND_USERS_BY_PAST_NAME.run(snapshot, { username }))).map(([id]) => id),
  list: (filter) => inSnapshot(async (snapshot) => withTargetNames(snapshot, await findEntries(snapshot, filter))),
});
