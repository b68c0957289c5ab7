import {
  type Author,
  CHANGEABLE_DIVISION_FIELDS,
  type Division,
  type DivisionId,
  type DivisionRepository,
  decideDivisionCreation,
  divisionFields,
  divisionListFields,
  fieldsWith,
  notFound,
  parseUuid,
} from '@chapter/domain/ports';
import { type Selectable, sql } from 'kysely';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, pickParameters, type Row, type Runner } from '../connection/statement.ts';
import { type InTransaction, rowsOf, type Transaction } from '../connection/transaction.ts';
import { type List, listColumns } from '../lists/list.ts';
import type { ReadPage } from '../lists/read-page.ts';
import { exclusiveLock, queued } from '../schema/advisory-locks.ts';
import { divisionIndexes } from '../schema/indexes.ts';
import { divisionMapping, writtenColumns, writtenValues } from '../schema/mapping.ts';
import { db, type Tables } from '../schema/tables.ts';
import { lockActor } from '../users/lock.ts';

/** The columns from which a division is read, in the order of {@link DivisionRow}. */
export const DIVISION_COLUMNS = ['id', 'name', 'logo', 'fanpage', 'version'] as const;

/** A row with the {@link DIVISION_COLUMNS}. */
export type DivisionRow = Row<Selectable<Tables['division']>, typeof DIVISION_COLUMNS>;

/** The {@link DIVISION_COLUMNS} of `division as d`, for `select`. */
const divisionSelection = DIVISION_COLUMNS.map((column) => `d.${column}` as const);

/** Converts a row to a division. */
export const toDivision = ([id, name, logo, fanpage, version]: DivisionRow): Division => ({
  id,
  name,
  logo,
  fanpage,
  revision: String(version),
});

const columns = listColumns(divisionListFields, divisionMapping);

/** All divisions. */
export const divisionList: List<Division> = {
  name: 'divisions',
  table: 'division',
  indexes: divisionIndexes,
  isOfDivision: false,
  columns,
  defaultColumn: columns.name,
  search: { column: 'name_key', fields: fieldsWith(divisionFields, 'searched', true) },
  select: DIVISION_COLUMNS,
  hasHeader: false,
  advice: { filter: 'name', order: '`id` or `name`' },
  toItem: toDivision,
};

const FIND_DIVISION = defineStatement(
  'find-division',
  (value: Parameters<{ id: DivisionId }>) =>
    db.selectFrom('division as d').select(divisionSelection).where('d.id', '=', value('id')),
  { columns: DIVISION_COLUMNS },
);
type ById = Parameters<{ id: DivisionId }>;

const inQueue = (value: ById) =>
  queued(exclusiveLock('division', value('id')))
    .selectFrom(['queued', 'division as d'])
    .select(divisionSelection);

const DIVISION_LOCK = { columns: DIVISION_COLUMNS, isReadOnly: true } as const;
const LOCK_DIVISION = defineStatement(
  'lock-division',
  (value: ById) => inQueue(value).where('d.id', '=', value('id')).forNoKeyUpdate('d'),
  DIVISION_LOCK,
);
// Unlike LOCK_DIVISION, it conflicts with the lock of a user who joins the division.
const LOCK_TO_DELETE = defineStatement(
  'lock-division-to-delete',
  (value: ById) => inQueue(value).where('d.id', '=', value('id')).forUpdate('d'),
  DIVISION_LOCK,
);
const FIND_MEMBER = defineStatement(
  'find-member-of-division',
  (value: Parameters<{ id: DivisionId }>) =>
    db.selectFrom('user_account').where('division_id', '=', value('id')).limit(sql.lit(1)),
  { isReadOnly: true },
);
const DELETE_DIVISION = defineStatement('delete-division', (value: Parameters<{ id: DivisionId }>) =>
  db.deleteFrom('division').where('id', '=', value('id')),
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
      name_version: sql<number>`name_version + (name <> ${division('name')})::int`,
    }))
    .where('id', '=', division('id')),
);

const lock = async (tx: Transaction, { userId }: Author, id: DivisionId, statement: typeof LOCK_DIVISION) => {
  const [actor, [row]] = await Promise.all([
    lockActor(tx, userId),
    parseUuid(id) === id ? statement.run(tx, { id }) : [],
  ]);
  if (!row) throw notFound();
  return { actor, division: toDivision(row) };
};

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

  list: (query) => readPage(divisionList, null, query),

  create: (author, division) =>
    inTransaction(rowsOf(author, division.id), async (tx) => {
      const { audit, division: created } = decideDivisionCreation(division);
      await INSERT_DIVISION.run(tx, { id: division.id, ...columnsOf(created) });
      writeAudit(tx, author, audit);
      return { ...created, revision: '1' };
    }),

  update: (author, id, decide) =>
    inTransaction(rowsOf(author, id), async (tx) => {
      const locked = await lock(tx, author, id, LOCK_DIVISION);
      const write = decide(locked);
      if (write === 'unchanged') return locked.division;
      writeAudit(tx, author, write.audit);
      CHANGE_DIVISION.send(tx, { id, ...columnsOf(write.division) });
      return { ...write.division, revision: String(Number(locked.division.revision) + 1) };
    }),

  delete: (author, id, decide) =>
    inTransaction(rowsOf(author, id), async (tx) => {
      const locked = await lock(tx, author, id, LOCK_TO_DELETE);
      // Separate from the lock, so that it sees users who joined while this transaction waited for the lock.
      const hasMembers = (await FIND_MEMBER.run(tx, { id })).length > 0;
      writeAudit(tx, author, decide({ ...locked, hasMembers }).audit);
      DELETE_DIVISION.send(tx, { id });
    }),
});
