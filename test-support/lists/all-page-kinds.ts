import type { Pool } from 'pg';
import type { Position } from '../../packages/domain/src/index.ts';
import { type Layout, MEASURED_ID } from './members.ts';
import { conditionKinds, type ListName, PATHS, type PageGroup, type PageKind, readPageOf } from './page-kinds.ts';

/** The fields of users that an index sorts, each with its column. */
const ORDERS: readonly (readonly [field: string, column: string])[] = [
  ['date_joined', 'date_joined'],
  ['username', 'username_key'],
  ['email', 'email_key'],
  ['first_name', 'first_name_key'],
  ['last_name', 'last_name_key'],
  ['birthdate', 'birthdate'],
];

const OF_DIVISION = `user_account where division_id = '${MEASURED_ID}'`;

/** Returns the position after nine tenths of a list. */
const deepPosition = async (pool: Pool, rows: string, column: string, descending = false): Promise<Position> => {
  const direction = descending ? 'desc' : 'asc';
  const value = column === 'date_joined' ? `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : `${column}::text`;
  const found = await pool.query<{ value: string | null; id: string }>(
    `select ${value} as value, id from ${rows} order by ${column} ${direction} nulls last, id ${direction}
      offset (select count(*) * 9 / 10 from ${rows}) limit 1`,
  );
  return { side: 'after', inclusive: false, values: [found.rows[0]?.value ?? null, found.rows[0]?.id ?? ''] };
};

const orderKinds = async (pool: Pool): Promise<readonly PageKind[]> => {
  const kinds: PageKind[] = [];
  for (const [field, column] of ORDERS) {
    for (const sign of ['', '-']) {
      const query = `ordering=${sign}${field}`;
      const position = await deepPosition(pool, OF_DIVISION, column, sign === '-');
      const before: Position = { ...position, side: 'before' };
      kinds.push({ group: 'first page', query, about: 'first page', read: readPageOf('users', query, null) });
      kinds.push({ group: 'page at 90 %', query, about: 'next, at 90 %', read: readPageOf('users', query, position) });
      kinds.push({
        group: 'page at 90 %',
        query,
        about: 'previous, at 90 %',
        read: readPageOf('users', query, before),
      });
    }
  }
  return kinds;
};

const kind = (
  group: PageGroup,
  list: ListName,
  query: string,
  about: string,
  position: Position | null = null,
): PageKind => {
  return { group, query: PATHS[list] + (query && `?${query}`), about, read: readPageOf(list, query, position) };
};

const divisionUserKinds = async (pool: Pool): Promise<readonly PageKind[]> => {
  const position = await deepPosition(pool, OF_DIVISION, 'username_key');
  return [
    kind('division', 'references', '', 'first page'),
    kind('division', 'references', '', 'page at 90 %', position),
    kind('division', 'references', 'search=zzz', 'none'),
    kind('others', 'references', 'search=ba', 'one in ten, but none at the start'),
  ];
};

const divisionKinds = async (pool: Pool): Promise<readonly PageKind[]> => {
  const position = await deepPosition(pool, 'division', 'name_key');
  return [
    // A small page, so that even the shortest list has a full page at 90 %.
    kind('divisions', 'divisions', 'page_size=10', 'first page'),
    kind('divisions', 'divisions', 'page_size=10', 'page at 90 %', position),
    kind('others', 'divisions', 'search=zzz', 'none'),
    kind('others', 'divisions', 'search=ba', 'some'),
  ];
};

/** Returns all kinds of pages in a filled database. Pages of the list of divisions are included if there are many. */
export const listPageKinds = async (pool: Pool, layout: Layout): Promise<readonly PageKind[]> => [
  ...(await orderKinds(pool)),
  ...conditionKinds,
  ...(await divisionUserKinds(pool)),
  ...(layout === 'many' ? await divisionKinds(pool) : []),
];
