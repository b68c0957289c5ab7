import type { Pool } from 'pg';

/** The caller that a token names. */
export interface TokenSubject {
  readonly sub: string;
  readonly sid: string;
  readonly exp: number;
}

/** A row with every value as PostgreSQL's text. */
type Row = readonly (string | null)[];

/** Selects the caller with an active session. Every statement contains this check. Parameters: session and caller. */
export const CALLER =
  'session s join user_account c on c.id = s.user_id where s.id = $1 and s.expires_at > now() and c.id = $2 and c.is_active';

/** The columns of a user in a list. */
export const ITEM = `u.id, u.username, u.email, u.first_name, u.last_name, u.division_id, u.groups, u.birthdate, u.is_active,
  u.is_staff, u.is_superuser, u.date_joined`;

// Returns one row of nulls if the list is empty, and no row if the caller has no right.
const list = (name: string, columns: string, conditions: string, order: string) => ({
  name,
  rowMode: 'array' as const,
  text: `select d.name, u.* from (select c.division_id from ${CALLER} and c.groups && '{Leader,Guest}') c
    join division d on d.id = c.division_id
    left join lateral (select ${columns} from user_account u where u.division_id = c.division_id ${conditions}
      order by ${order} limit 51) u on true`,
});

// This condition is true for every row. With it, the planner can use the covering index, as in the service.
const COVERED = `and u.username >= ''`;
const BY_JOINED = 'u.date_joined, u.id';
const FILTERS = 'and u.groups && $3::member_group[] and u.is_active = $4 and u.birthdate >= $5';
const statements = {
  first: list('list', ITEM, COVERED, BY_JOINED),
  after: list('list-after', ITEM, `${COVERED} and (u.date_joined, u.id) > ($3, $4)`, BY_JOINED),
  filtered: list('filter', ITEM, FILTERS, 'u.last_name_key desc, u.id desc'),
  search: list('search', ITEM, 'and u.search like all($3::text[])', BY_JOINED),
  division: list('division-users', 'u.id, u.username', 'and u.division_id = $3', 'u.username_key, u.id'),
};

const quoted = (value: string | null | undefined): string => JSON.stringify(value ?? null);
const plain = (value: string | null | undefined): string => (value === null ? 'null' : `"${value}"`);
const flag = (value: string | null | undefined): string => (value === 't' ? 'true' : 'false');

/** Converts PostgreSQL's text of an instant to the format of the API. */
const instant = (text: string | null | undefined): string =>
  text
    ? `${text.slice(0, 10)}T${text.slice(11, 19)}.${text[19] === '.' ? text.slice(20, -3).padEnd(3, '0') : '000'}Z`
    : '';

const groupsByText = new Map<string, string>();
const groups = (text: string): string => {
  const found = groupsByText.get(text);
  if (found !== undefined) return found;
  const names = text.slice(1, -1).split(',');
  const array = JSON.stringify(['Leader', 'Guest', 'User'].filter((group) => names.includes(group)));
  groupsByText.set(text, array);
  return array;
};

/** Formats a user as in lists. The row begins with the division's name. */
export const item = (row: Row): string =>
  `{"id":"${row[1]}","username":"${row[2]}","email":${quoted(row[3])},"first_name":${quoted(row[4])},"last_name":${quoted(row[5])},"division":{"id":"${row[6]}","name":${quoted(row[0])}},"groups":${groups(row[7] ?? '')},"birthdate":${plain(row[8])},"is_active":${flag(row[9])},"is_staff":${flag(row[10])},"is_superuser":${flag(row[11])},"date_joined":"${instant(row[12])}"}`;

/** Formats a user as read by id. */
export const summary = (row: Row): string =>
  `{"id":"${row[0]}","username":"${row[1]}","division":{"id":"${row[3]}","name":${quoted(row[4])}},"birthdate":${plain(row[2])}}`;

const reference = (row: Row): string => `{"id":"${row[1]}","username":"${row[2]}"}`;

/** Makes a cursor in the format of the service, without the checksum of the query. */
const cursorOf = (side: 'after' | 'before', values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(['', side, false, ...values])).toString('base64url');

const page = (
  rows: readonly Row[],
  path: string,
  keyOf: (row: Row) => readonly unknown[],
  itemOf = item,
  goesBack = false,
): string | undefined => {
  if (rows.length === 0) return undefined;
  const found = rows[0]?.[1] === null ? [] : rows;
  const shown = found.slice(0, 50);
  const [first, last] = [shown[0], shown.at(-1)];
  const next = found.length > 50 && last ? `"${path}cursor=${cursorOf('after', keyOf(last))}"` : 'null';
  const previous = goesBack && first ? `"${path}cursor=${cursorOf('before', keyOf(first))}"` : 'null';
  return `{"results":[${shown.map(itemOf).join(',')}],"next":${next},"previous":${previous}}`;
};

const byJoined = (row: Row) => [instant(row[12]), row[1]];
const byLastName = (row: Row) => [row[5]?.toLowerCase(), row[1]];
const byUsername = (row: Row) => [row[2]?.toLowerCase(), row[1]];
const likePattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/** Makes a function that returns the list of a URL, or undefined if the caller has no right to it. */
export const makeLists = (pool: Pool) => {
  const read = async (name: keyof typeof statements, { sid, sub }: TokenSubject, values: readonly unknown[] = []) =>
    (await pool.query<(string | null)[]>({ ...statements[name], values: [sid, sub, ...values] })).rows;

  return async (subject: TokenSubject, url: string): Promise<string | undefined> => {
    if (url.startsWith('/api/division/')) {
      return page(await read('division', subject, [url.slice(14, 50)]), `${url}?`, byUsername, reference);
    }
    const parameters = new URLSearchParams(url.slice(12));
    const [cursor, search] = [parameters.get('cursor'), parameters.get('search')];
    if (cursor !== null) {
      const [, , , ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
      return page(await read('after', subject, values), '/api/users/?', byJoined, item, true);
    }
    if (search !== null) {
      const patterns = search.toLowerCase().split(' ').map(likePattern);
      return page(await read('search', subject, [patterns]), `${url}&`, byJoined);
    }
    const since = parameters.get('birthdate__gte');
    if (since === null) return page(await read('first', subject), '/api/users/?', byJoined);
    const values = [`{${parameters.get('groups')}}`, parameters.get('is_active'), since];
    return page(await read('filtered', subject, values), `${url}&`, byLastName);
  };
};
