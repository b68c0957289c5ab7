import type { Pool } from 'pg';
import type { Position } from '../../packages/domain/src/index.ts';
import { askOf, conditions, type Kind, type ListName, PATHS } from './kinds.ts';
import { MEASURED_ID } from './people.ts';

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
      kinds.push({ group: 'first page', query, about: '', ask: askOf('users', query, null) });
      kinds.push({ group: 'page at 90 %', query, about: 'next', ask: askOf('users', query, place) });
      kinds.push({ group: 'page at 90 %', query, about: 'previous', ask: askOf('users', query, before) });
    }
  }
  return kinds;
};

const pagesOf = async (list: ListName, pool: Pool, rows: string, column: string): Promise<readonly Kind[]> => {
  const place = await deepPlace(pool, rows, column);
  const kind = (query: string, about: string, position: Position | null = null): Kind => {
    return { group: 'division', query: PATHS[list] + query, about, ask: askOf(list, query, position) };
  };
  return [
    kind('', 'first page'),
    kind('', 'page at 90 %', place),
    kind('search=zzz', 'found nowhere'),
    kind('search=ba', 'two letters'),
  ];
};

/** All kinds of pages, for the members of one database. */
export const kindsOf = async (pool: Pool): Promise<readonly Kind[]> => [
  ...(await pagesByOrder(pool)),
  ...conditions,
  ...(await pagesOf('references', pool, OF_DIVISION, 'username_key')),
  ...(await pagesOf('divisions', pool, 'division', 'name_key')),
];
