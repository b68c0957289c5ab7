import {
  type ChangeFeed,
  type ChangePosition,
  type ChangeQuery,
  type DivisionId,
  type NamedAuditEntry,
  parseUuid,
  unavailable,
} from '@chapter/domain/ports';
import { sql } from 'kysely';
import { defineStatement, type Parameters, type Row, type Runner } from '../connection/statement.ts';
import { EPOCH, IS_FOREIGN, IS_NUMBERED_HERE } from '../schema/entry-numbers.ts';
import { db, type Tables } from '../schema/tables.ts';
import { toEntry } from './audit-log.ts';
import { AUDIT_COLUMNS } from './audit-writer.ts';

/** The values of a page. `epoch`, `xid` and `id` are those of the position, or null for an empty one. */
interface PageValues {
  readonly divisionId: DivisionId;
  readonly epoch: string | null;
  readonly xid: string | null;
  readonly id: string | null;
  readonly limit: number;
  /** Whether to leave out the entries before which a transaction may still write others. */
  readonly settled: boolean;
}

/** A row of a page. The types leave out that an empty page has a row of nulls. */
type PageRow = Pick<Tables['audit_entry'], (typeof AUDIT_COLUMNS)[number]> & {
  readonly xid: string | null;
  readonly target_name: string | null;
  /** Null if the transaction ids are those of another cluster. */
  readonly epoch: string | null;
};

const PAGE_COLUMNS = ['epoch', 'xid', 'target_name', ...AUDIT_COLUMNS] as const;

const LAST_XID = sql`'18446744073709551615'::xid8`;
const FIRST_PLACE = sql`'0'::xid8, '00000000-0000-0000-0000-000000000000'::uuid`;
const LAST_PLACE = sql`${LAST_XID}, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;

/**
 * Defines the statement of a page. Both columns with a division have an index in the order of the entries, so that it
 * reads no other rows. Looks up the entry at the position in the same snapshot: if it is gone, later ones may be too.
 * Then, and before it is settled for `after`, there are no rows. It sees what was written before `pg_snapshot_xmin`.
 * Names are subqueries, because the planner might join a page with whole tables; `offset 0` computes the epoch once.
 */
const definePage = (name: string, side: ChangeQuery['side']) => {
  const isFeed = side === 'after';
  const [direction, operator] = isFeed ? [sql`asc`, sql`>`] : [sql`desc`, sql`<`];
  return defineStatement(
    name,
    (value: Parameters<PageValues>) => {
      const settled = sql`case when ${value('settled')}::boolean then pg_snapshot_xmin(pg_current_snapshot()) else ${LAST_XID} end`;
      type DivisionColumn = 'division_id' | 'left_division_id';
      const foreignBy = (column: DivisionColumn) =>
        sql`exists (select from audit_entry where ${sql.ref(column)} = ${value('divisionId')}::uuid and ${sql.raw(IS_FOREIGN)})`;
      const isHere = sql`${sql.raw(IS_NUMBERED_HERE)} and not (${foreignBy('division_id')} or ${foreignBy('left_division_id')})`;
      const entriesBy = (column: DivisionColumn) => sql`(
        select * from audit_entry where ${sql.ref(column)} = ${value('divisionId')}::uuid and xid < ${settled}
           and (xid, id) ${operator} (start_xid, start_id)
         order by xid ${direction}, id ${direction} limit ${value('limit')}::int)`;
      return db
        .selectFrom(
          sql<PageRow>`(
            select page.*, epoch, coalesce(
                (select username from user_account u where u.id = target_id and u.division_id = ${value('divisionId')}::uuid),
                (select name from division d where d.id = target_id and d.id = ${value('divisionId')}::uuid)) as target_name
              from (select case when ${isHere} then ${sql.raw(EPOCH)} end as epoch offset 0) as feed
              join lateral (
                select xid, id from audit_entry
                 where id = ${value('id')}::uuid and xid::text = ${value('xid')} and epoch = ${value('epoch')} and ${settled} > xid
                   and ${value('divisionId')}::uuid in (division_id, left_division_id)
                union all select ${isFeed ? FIRST_PLACE : LAST_PLACE} where ${value('id')}::uuid is null
              ) as start (start_xid, start_id) on true
              left join lateral (
                select * from (${entriesBy('division_id')} union all ${entriesBy('left_division_id')}) as entries
                 order by xid ${direction}, id ${direction} limit ${value('limit')}::int) as page on true)`.as('page'),
        )
        .select(PAGE_COLUMNS)
        .orderBy('xid', isFeed ? 'asc' : 'desc')
        .orderBy('id', isFeed ? 'asc' : 'desc');
    },
    { columns: PAGE_COLUMNS },
  );
};

const PAGES = {
  before: definePage('list-changes-before', 'before'),
  after: definePage('list-changes-after', 'after'),
};

const NO_POSITION = { epoch: null, xid: null, id: null };

/** Returns the parts of a position, undefined for a text that is none. */
const readPosition = (position: ChangePosition) => {
  if (position === '') return NO_POSITION;
  const [, epoch = '', xid = '', id = ''] = /^([0-9a-f]{8})\.(\d{1,20})\.(.*)$/.exec(position) ?? [];
  return parseUuid(id) === id ? { epoch, xid, id } : undefined;
};

const toLocated = ([epoch, xid, targetName, ...row]: Row<PageRow, typeof PAGE_COLUMNS>) => {
  const entry: NamedAuditEntry = { ...toEntry(row), targetName };
  const position: ChangePosition = `${epoch}.${xid}.${entry.id}`;
  return { entry, position };
};

/** Makes the feed of changes. It reads from the primary. */
export const makeChangeFeed = (runner: Runner): ChangeFeed => {
  const read = async (side: ChangeQuery['side'], values: PageValues) => {
    const rows = await PAGES[side].run(runner, values);
    const [first] = rows;
    if (first?.[0] === null) {
      throw unavailable(new Error('the audit entries were copied from another cluster: run chapter migrate'));
    }
    if (!first) return null;
    return first[1] === null ? [] : rows.map(toLocated);
  };
  return {
    list: async (divisionId, { position, side, size }) => {
      const start = readPosition(position);
      if (!start) return null;
      const all = { divisionId, ...NO_POSITION };
      // Before the page, so that the feed repeats an entry that it has rather than skips one.
      const [newest] = side === 'after' ? [] : ((await read('before', { ...all, limit: 1, settled: true })) ?? []);
      const rows = await read(side, { ...all, ...start, limit: size + 1, settled: side === 'after' });
      if (!rows) return null;
      const page = rows.slice(0, size);
      const last = page.at(-1)?.position ?? position;
      return {
        entries: page.map(({ entry }) => entry),
        next: rows.length > size ? last : null,
        after: side === 'after' ? last : (newest?.position ?? ''),
      };
    },
  };
};
