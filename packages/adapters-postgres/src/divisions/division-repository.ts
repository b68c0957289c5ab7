import {
  type Actor,
  type Division,
  type DivisionRepository,
  divisionDifferences,
  foldCase,
  notFound,
  parseUuid,
} from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { exclusiveLock, queued } from '../connection/advisory-locks.ts';
import type { Runner } from '../connection/statement.ts';
import type { InTransaction } from '../connection/transaction.ts';
import type { ListRows } from '../lists/list-rows.ts';
import { divisionList } from '../lists/lists.ts';
import { DivisionEntity } from '../schema/entities/division-entity.ts';
import { DIVISION_COLUMNS, type DivisionRow, toDivision } from '../schema/rows.ts';
import { lockActor } from '../users/lock.ts';

const FIND = { name: 'find-division', text: `select ${DIVISION_COLUMNS.join(', ')} from division d where d.id = $1` };
const LOCK = {
  name: 'lock-division',
  text: queued(
    [exclusiveLock('division', '$1')],
    `select d.version, d.name_version, ${DIVISION_COLUMNS.join(', ')} from queued, division d
      where d.id = $1 for no key update of d`,
  ),
};

type LockedRow = readonly [version: number, nameVersion: number, ...DivisionRow];

const fold = (text: string | null): string | null => (text === null ? null : foldCase(text));

const columnsOf = ({ name, logo, fanpage }: Omit<Division, 'id' | 'revision'>) => ({
  name,
  nameKey: foldCase(name),
  logo,
  logoKey: fold(logo),
  fanpage,
  fanpageKey: fold(fanpage),
});

/** Divisions in PostgreSQL. */
export const makeDivisionRepository = (
  runner: Runner,
  inTransaction: InTransaction,
  listRows: ListRows,
  writeAudit: WriteAudit,
): DivisionRepository => ({
  find: async (id) => {
    if (parseUuid(id) === undefined) return null;
    const [row] = await runner.query<DivisionRow>(FIND, [id]);
    return row ? toDivision(row) : null;
  },

  list: (query) => listRows(divisionList, [], query),

  create: (author, { id, ...division }) =>
    inTransaction(async (tx) => {
      tx.em.persist(tx.em.create(DivisionEntity, { id, ...columnsOf(division), nameVersion: 1, version: 1 }));
      await tx.em.flush();
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
      const [row] = parseUuid(id) === undefined ? [] : await tx.query<LockedRow>(LOCK, [id]);
      if (!row) throw notFound();
      const [version, nameVersion, ...stored] = row;
      const before = toDivision(stored);
      const after = change({ actor, division: before });
      const changes = divisionDifferences(before, after);
      if (Object.keys(changes).length === 0) return before;
      const entity = tx.em.merge(DivisionEntity, { id, ...columnsOf(before), version, nameVersion });
      Object.assign(entity, columnsOf(after));
      if ('name' in changes) entity.nameVersion += 1;
      writeAudit(tx, author, {
        action: 'updateDivision',
        targetType: 'division',
        targetId: id,
        divisionId: id,
        changes,
      });
      await tx.em.flush();
      const { name, logo, fanpage } = after;
      return { id, name, logo, fanpage, revision: String(entity.version) };
    }),
});
