import type { Pool } from 'pg';
import type { Position } from '../../packages/domain/src/ports/index.ts';
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

const ofDivision = (id: string): string => `user_account where division_id = '${id}'`;

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

const orderKinds = async (pool: Pool, divisionId: string): Promise<readonly PageKind[]> => {
  const kinds: PageKind[] = [];
  const add = (group: PageGroup, query: string, about: string, position: Position | null): void => {
    kinds.push({ group, query, about, read: readPageOf('users', query, position, divisionId) });
  };
  for (const [field, column] of ORDERS) {
    for (const sign of ['', '-']) {
      const query = `ordering=${sign}${field}`;
      const position = await deepPosition(pool, ofDivision(divisionId), column, sign === '-');
      add('first page', query, 'first page', null);
      add('page at 90 %', query, 'next, at 90 %', position);
      add('page at 90 %', query, 'previous, at 90 %', { ...position, side: 'before' });
    }
  }
  return kinds;
};

/** Returns a function that makes kinds of pages of a list whose query contains the path. */
const kindsOf =
  (list: ListName, divisionId?: string) =>
  (group: PageGroup, query: string, about: string, position: Position | null = null): PageKind => {
    const read = readPageOf(list, query, position, divisionId);
    return { group, query: PATHS[list] + (query && `?${query}`), about, read };
  };

const divisionUserKinds = async (pool: Pool, divisionId: string): Promise<readonly PageKind[]> => {
  const position = await deepPosition(pool, ofDivision(divisionId), 'username_key');
  const kind = kindsOf('references', divisionId);
  return [
    kind('division', '', 'first page'),
    kind('division', '', 'page at 90 %', position),
    kind('division', 'search=zzz', 'none'),
    kind('others', 'search=ba', 'one in ten, but none at the start'),
  ];
};

/** Returns the kinds of pages of the list of divisions. */
export const divisionKinds = async (pool: Pool): Promise<readonly PageKind[]> => {
  const position = await deepPosition(pool, 'division', 'name_key');
  const kind = kindsOf('divisions');
  return [
    // A small page, so that even the shortest list has a full page at 90 %.
    kind('divisions', 'page_size=10', 'first page'),
    kind('divisions', 'page_size=10', 'page at 90 %', position),
    kind('others', 'search=zzz', 'none'),
    kind('others', 'search=ba', 'some'),
  ];
};

/** Returns the kinds of pages of a division's lists of users, in a filled database. */
export const userKinds = async (pool: Pool, divisionId: string = MEASURED_ID): Promise<readonly PageKind[]> => [
  ...(await orderKinds(pool, divisionId)),
  ...conditionKinds(divisionId),
  ...(await divisionUserKinds(pool, divisionId)),
];

/** Returns all kinds of pages in a filled database. Pages of the list of divisions are included if there are many. */
export const listPageKinds = async (pool: Pool, layout: Layout): Promise<readonly PageKind[]> => [
  ...(await userKinds(pool)),
  ...(layout === 'many' ? await divisionKinds(pool) : []),
];
