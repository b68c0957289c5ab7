import {
  type Actor,
  CHANGEABLE_DIVISION_FIELDS,
  type Division,
  type DivisionId,
  type DivisionRepository,
  divisionDifferences,
  isSameDivision,
  notFound,
  parseUuid,
  pick,
} from '@chapter/domain';
import { sql } from 'kysely';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, pickParameters, type Runner } from '../connection/statement.ts';
import type { InTransaction } from '../connection/transaction.ts';
import type { ReadPage } from '../lists/read-page.ts';
import { exclusiveLock, queued } from '../schema/advisory-locks.ts';
import { divisionMapping } from '../schema/division-mapping.ts';
import { writtenColumns, writtenValues } from '../schema/mapping.ts';
import { db } from '../schema/tables.ts';
import { lockActor } from '../users/lock.ts';
import { divisionList } from './division-list.ts';
import { DIVISION_COLUMNS, divisionSelection, toDivision } from './division-rows.ts';

const FIND_DIVISION = defineStatement(
  'find-division',
  ({ id }: Parameters<{ id: DivisionId }>) =>
    db.selectFrom('division as d').select(divisionSelection).where('d.id', '=', id),
  { columns: DIVISION_COLUMNS },
);
const LOCK_DIVISION = defineStatement(
  'lock-division',
  ({ id }: Parameters<{ id: DivisionId }>) =>
    queued(exclusiveLock('division', id))
      .selectFrom(['queued', 'division as d'])
      .select(divisionSelection)
      .where('d.id', '=', id)
      .forNoKeyUpdate('d'),
  { columns: DIVISION_COLUMNS, isReadOnly: true },
);

// Unlike LOCK_DIVISION, it conflicts with the lock of a user who joins the division.
const LOCK_TO_DELETE = defineStatement(
  'lock-division-to-delete',
  ({ id }: Parameters<{ id: DivisionId }>) =>
    queued(exclusiveLock('division', id))
      .selectFrom(['queued', 'division as d'])
      .select(divisionSelection)
      .where('d.id', '=', id)
      .forUpdate('d'),
  { columns: DIVISION_COLUMNS, isReadOnly: true },
);
const FIND_MEMBER = defineStatement(
  'find-member-of-division',
  ({ id }: Parameters<{ id: DivisionId }>) =>
    db.selectFrom('user_account').where('division_id', '=', id).limit(sql.lit(1)),
  { isReadOnly: true },
);
const DELETE_DIVISION = defineStatement('delete-division', ({ id }: Parameters<{ id: DivisionId }>) =>
  db.deleteFrom('division').where('id', '=', id),
);

const WRITTEN_DIVISION_COLUMNS = writtenColumns(divisionMapping, CHANGEABLE_DIVISION_FIELDS);

type WrittenField = (typeof CHANGEABLE_DIVISION_FIELDS)[number];

const columnsOf = (division: Pick<Division, WrittenField>) =>
  writtenValues<typeof divisionMapping, Division, WrittenField>(divisionMapping, CHANGEABLE_DIVISION_FIELDS, division);

type Written = Parameters<ReturnType<typeof columnsOf> & { id: DivisionId }>;

const INSERT_DIVISION = defineStatement('insert-division', (division: Written) =>
  db.insertInto('division').values(pickParameters(division, ['id', ...WRITTEN_DIVISION_COLUMNS])),
);
const CHANGE_DIVISION = defineStatement('change-division', (division: Written) =>
  db
    .updateTable('division')
    .set(pickParameters(division, WRITTEN_DIVISION_COLUMNS))
    .set((eb) => ({
      version: eb('version', '+', 1),
      name_version: sql<number>`name_version + (name <> ${division.name})::int`,
    }))
    .where('id', '=', division.id),
);

/** Makes the repository of divisions. */
export const makeDivisionRepository = (
  runner: Runner,
  inTransaction: InTransaction,
  readPage: ReadPage,
  writeAudit: WriteAudit,
): DivisionRepository => ({
  find: async (id) => {
    if (parseUuid(id) === undefined) return null;
    const [row] = await FIND_DIVISION.run(runner, { id });
    return row ? toDivision(row) : null;
  },

  list: (query) => readPage(divisionList, 'all', query),

  create: (author, { id, ...division }) =>
    inTransaction(async (tx) => {
      await INSERT_DIVISION.run(tx, { id, ...columnsOf(division) });
      const changes = divisionDifferences(null, { id, ...division, revision: '' });
      writeAudit(tx, author, {
        action: 'createDivision',
        targetType: 'division',
        targetId: id,
        divisionId: id,
        changes,
      });
      return { id, ...division, revision: '1' };
    }),

  update: (author, id, change) =>
    inTransaction(async (tx) => {
      const actor: Actor | null = await lockActor(tx, author.userId);
      const [row] = parseUuid(id) === undefined ? [] : await LOCK_DIVISION.run(tx, { id });
      if (!row) throw notFound();
      const before = toDivision(row);
      const changed = pick(change({ actor, division: before }), CHANGEABLE_DIVISION_FIELDS);
      const after: Division = { ...before, ...changed, revision: String(Number(before.revision) + 1) };
      if (isSameDivision(before, after)) return before;
      writeAudit(tx, author, {
        action: 'updateDivision',
        targetType: 'division',
        targetId: id,
        divisionId: id,
        changes: divisionDifferences(before, after),
      });
      CHANGE_DIVISION.send(tx, { id, ...columnsOf(after) });
      return after;
    }),

  delete: (author, id, permit) =>
    inTransaction(async (tx) => {
      const actor = await lockActor(tx, author.userId);
      const [row] = parseUuid(id) === id ? await LOCK_TO_DELETE.run(tx, { id }) : [];
      if (!row) throw notFound();
      const division = toDivision(row);
      // Separate from the lock, so that it sees users who joined while this transaction waited for the lock.
      const hasMembers = (await FIND_MEMBER.run(tx, { id })).length > 0;
      permit({ actor, division, hasMembers });
      writeAudit(tx, author, {
        action: 'deleteDivision',
        targetType: 'division',
        targetId: id,
        divisionId: id,
        changes: divisionDifferences(division, null),
      });
      DELETE_DIVISION.send(tx, { id });
    }),
});
