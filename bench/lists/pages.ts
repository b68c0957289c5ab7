import type { Pool } from 'pg';
import type { Position } from '../../packages/domain/src/index.ts';
import { askOf, conditions, type Group, type Kind, type ListName, PATHS } from './kinds.ts';
import { MEASURED_ID, type Way } from './people.ts';

/** Fields of users whose order an index has, with the columns. */
const ORDERS: readonly (readonly [field: string, column: string])[] = [
  ['date_joined', 'date_joined'],
  ['username', 'username_key'],
  ['email', 'email_key'],
  ['first_name', 'first_name_key'],
  ['last_name', 'last_name_key'],
  ['birthdate', 'birthdate'],
];

const OF_DIVISION = `user_account where division_id = '${MEASURED_ID}'`;

/** The place nine tenths down a list. */
const deepPlace = async (pool: Pool, rows: string, column: string, descending = false): Promise<Position> => {
  const direction = descending ? 'desc' : 'asc';
  const value = column === 'date_joined' ? `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : `${column}::text`;
  const found = await pool.query<{ value: string | null; id: string }>(
    `select ${value} as value, id from ${rows} order by ${column} ${direction} nulls last, id ${direction}
      offset (select count(*) * 9 / 10 from ${rows}) limit 1`,
  );
  return { side: 'after', inclusive: false, values: [found.rows[0]?.value ?? null, found.rows[0]?.id ?? ''] };
};

const pagesByOrder = async (pool: Pool): Promise<readonly Kind[]> => {
  const kinds: Kind[] = [];
  for (const [field, column] of ORDERS) {
    for (const sign of ['', '-']) {
      const query = `ordering=${sign}${field}`;
      const place = await deepPlace(pool, OF_DIVISION, column, sign === '-');
      const before: Position = { ...place, side: 'before' };
      kinds.push({ group: 'first page', query, about: 'first page', ask: askOf('users', query, null) });
      kinds.push({ group: 'page at 90 %', query, about: 'next, at 90 %', ask: askOf('users', query, place) });
      kinds.push({ group: 'page at 90 %', query, about: 'previous, at 90 %', ask: askOf('users', query, before) });
    }
  }
  return kinds;
};

const kind = (group: Group, list: ListName, query: string, about: string, place: Position | null = null): Kind => {
  return { group, query: PATHS[list] + (query && `?${query}`), about, ask: askOf(list, query, place) };
};

const pagesOfReferences = async (pool: Pool): Promise<readonly Kind[]> => {
  const place = await deepPlace(pool, OF_DIVISION, 'username_key');
  return [
    kind('division', 'references', '', 'first page'),
    kind('division', 'references', '', 'page at 90 %', place),
    kind('division', 'references', 'search=zzz', 'nobody'),
    kind('others', 'references', 'search=ba', 'one in ten, but nobody in front'),
  ];
};

const pagesOfDivisions = async (pool: Pool): Promise<readonly Kind[]> => {
  const place = await deepPlace(pool, 'division', 'name_key');
  return [
    // So few that the smallest list has a page like the others at 90 %.
    kind('divisions', 'divisions', 'page_size=10', 'first page'),
    kind('divisions', 'divisions', 'page_size=10', 'page at 90 %', place),
    kind('others', 'divisions', 'search=zzz', 'none; the smallest list is shorter than a walk'),
    kind('others', 'divisions', 'search=ba', 'some'),
  ];
};

/** All kinds of pages, for the members of one database. Those of divisions come last, where there are many. */
export const kindsOf = async (pool: Pool, way: Way): Promise<readonly Kind[]> => [
  ...(await pagesByOrder(pool)),
  ...conditions,
  ...(await pagesOfReferences(pool)),
  ...(way === 'many' ? await pagesOfDivisions(pool) : []),
];
