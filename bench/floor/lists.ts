import type { Pool, QueryArrayConfig } from 'pg';
import { cursorOf, markOf, valuesIn } from './cursor.ts';
import { instant, item, page, type Row, reference } from './json.ts';
import { statements } from './statements.ts';
import type { Subject } from './tokens.ts';

const USERS = 'listUsers 00000000-0000-0000-0000-000000000000';
const ascending = (field: string) => ({ field, descending: false });
const descending = (field: string) => ({ field, descending: true });
const BY_JOINED = [ascending('dateJoined'), ascending('id')];
const BY_LAST_NAME = [descending('lastName'), descending('id')];
const BY_USERNAME = [ascending('username'), ascending('id')];
const PLAIN_MARK = markOf(USERS, BY_JOINED, [], []);

const joined = (row: Row) => [instant(row[12] ?? ''), row[1]];
const lastNameOf = (row: Row) => [row[5]?.toLowerCase(), row[1]];
const likePattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

const pageOf = (rows: readonly Row[] | undefined, mark: string, rest: string, goesBack: boolean) =>
  rows && page(rows, item, (side, row) => `/api/users/?${rest}cursor=${cursorOf(mark, side, joined(row))}`, goesBack);

/** Answers the lists; undefined where the caller may not have them, or asks for what no kind of request asks for. */
export const makeLists = (pool: Pool) => {
  const rowsOf = async (
    statement: Omit<QueryArrayConfig, 'values'>,
    { sid, sub }: Subject,
    values: readonly unknown[],
  ) => {
    const { rows } = await pool.query<(string | null)[]>({ ...statement, values: [sid, sub, ...values] });
    return rows.length > 0 ? rows : undefined;
  };

  const users = async (subject: Subject, query: string): Promise<string | undefined> => {
    if (query === '') return pageOf(await rowsOf(statements.list, subject, []), PLAIN_MARK, '', false);
    const asked = new URLSearchParams(query);
    const cursor = asked.get('cursor');
    if (cursor !== null) {
      const values = valuesIn(cursor, PLAIN_MARK);
      return values && pageOf(await rowsOf(statements.listAfter, subject, values), PLAIN_MARK, '', true);
    }
    const search = asked.get('search');
    if (search === null) return filtered(subject, query, asked);
    const words = search.toLowerCase().split(' ');
    const rows = await rowsOf(statements.search, subject, [words.map(likePattern)]);
    return pageOf(rows, markOf(USERS, BY_JOINED, [], words), `${query}&`, false);
  };

  const filtered = async (subject: Subject, query: string, asked: URLSearchParams): Promise<string | undefined> => {
    const [group, active, since] = ['groups', 'is_active', 'birthdate__gte'].map((name) => asked.get(name) ?? '');
    const rows = await rowsOf(statements.filter, subject, [`{${group}}`, active, since]);
    const filters = [
      ['birthdate', 'gte', since],
      ['groups', 'eq', group],
      ['isActive', 'eq', active === 'true'],
    ];
    const mark = markOf(
      USERS,
      BY_LAST_NAME,
      filters.map((filter) => JSON.stringify(filter)),
      [],
    );
    return (
      rows &&
      page(rows, item, (side, row) => `/api/users/?${query}&cursor=${cursorOf(mark, side, lastNameOf(row))}`, false)
    );
  };

  const divisionUsers = async (subject: Subject, id: string): Promise<string | undefined> => {
    const rows = await rowsOf(statements.divisionUsers, subject, [id]);
    const mark = markOf(`listDivisionUsers ${id}`, BY_USERNAME, [], []);
    const link = (side: 'after' | 'before', row: Row) =>
      `/api/division/${id}/users/?cursor=${cursorOf(mark, side, [row[1]?.toLowerCase(), row[0]])}`;
    return rows && page(rows, reference, link, false);
  };
  return { users, divisionUsers };
};
