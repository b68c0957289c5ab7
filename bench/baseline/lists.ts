/** The caller that a token names. */
export interface TokenSubject {
  readonly sub: string;
  readonly sid: string;
  readonly exp: number;
}

/** A row with every value as PostgreSQL's text. */
type Row = readonly (string | null)[];

/** Runs a statement under a name. */
export type Query = (name: string, text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Selects the caller with an active session. Every statement contains this check. Parameters: session and caller. */
export const CALLER =
  'session s join user_account c on c.id = s.user_id where s.id = $1 and s.expires_at > now() and c.id = $2 and c.is_active';

/** The columns of a user in a list. */
export const ITEM = `u.id, u.username, u.email, u.first_name, u.last_name, u.division_id, u.groups, u.birthdate, u.is_active,
  u.is_staff, u.is_superuser, u.date_joined`;

/** Selects JSON as {@link item} formats it. */
export const ITEM_AS_JSON = `'{"id":"' || u.id || '","username":"' || u.username || '","email":' || coalesce(to_json(u.email)::text, 'null')
  || ',"first_name":' || to_json(u.first_name) || ',"last_name":' || to_json(u.last_name) || ',"division":{"id":"' || d.id
  || '","name":' || to_json(d.name) || '},"groups":' || to_json(u.groups) || ',"birthdate":'
  || coalesce(to_json(u.birthdate)::text, 'null') || ',"is_active":' || u.is_active || ',"is_staff":' || u.is_staff
  || ',"is_superuser":' || u.is_superuser || ',"date_joined":"' || to_char(u.date_joined, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}'`;
/** Selects JSON as {@link summary} formats it. */
export const SUMMARY_AS_JSON = `'{"id":"' || u.id || '","username":"' || u.username || '","division":{"id":"' || d.id
  || '","name":' || to_json(d.name) || '},"birthdate":' || coalesce(to_json(u.birthdate)::text, 'null') || '}'`;
const REFERENCE_AS_JSON = `'{"id":"' || u.id || '","username":"' || u.username || '"}'`;

const members = (columns: string, conditions: string, order: string): string =>
  `select ${columns} from user_account u where u.division_id = c.division_id ${conditions} order by ${order} limit 51`;

// `rows` returns one row of nulls if the list is empty, and no row if the caller has no right. `json` returns one row: the page,
// the number of items, and the first and last one.
const list = (users: string, asJson = ITEM_AS_JSON) => {
  const text = (columns: string) => `select ${columns}
    from (select c.division_id from ${CALLER} and c.groups && '{Leader,Guest}') c join division d on d.id = c.division_id
    left join lateral (${users}) u on true`;
  const page = `select array_to_string(i[1:50], ','), cardinality(i), i[1], i[50] from (${text(`array_agg(${asJson}) i`)}) page`;
  return {
    rows: text('d.name, u.*'),
    json: page,
  };
};

// This condition is true for every row. With it, the planner can use the covering index, as in the service.
const COVERED = `and u.username >= ''`;
const BY_JOINED = 'u.date_joined, u.id';
// `is true` hides a condition from the planner, which would read the inverted index of all divisions for it.
const FILTERS = 'and (u.groups && $3::member_group[]) is true and (u.is_active = $4) is true and u.birthdate >= $5';
// The index of the order contains the searched text, so that only the rows of the page are read.
const FOUND = members('u.id', 'and u.search like all($3::text[])', BY_JOINED);
const statements = {
  first: list(members(ITEM, COVERED, BY_JOINED)),
  after: list(members(ITEM, `${COVERED} and (u.date_joined, u.id) > ($3, $4)`, BY_JOINED)),
  filtered: list(members(ITEM, FILTERS, 'u.last_name_key desc, u.id desc')),
  search: list(`select ${ITEM} from (${FOUND}) f join user_account u on u.id = f.id order by ${BY_JOINED}`),
  division: list(members('u.id, u.username', 'and u.division_id = $3', 'u.username_key, u.id'), REFERENCE_AS_JSON),
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

/** What a link to another page contains of an item. */
type KeyOf = (item: { readonly id: string; readonly [field: string]: string }) => readonly unknown[];

const byJoined: KeyOf = ({ date_joined: joined, id }) => [joined, id];
const byLastName: KeyOf = ({ last_name: name, id }) => [name?.toLowerCase(), id];
const byUsername: KeyOf = ({ username, id }) => [username?.toLowerCase(), id];

/** The items of a page as JSON. There may be one more than the page has. */
interface Items {
  readonly joined: string;
  readonly count: number;
  readonly first: string | undefined;
  readonly last: string | undefined;
}

const itemsOf = (rows: readonly Row[], format: (row: Row) => string): Items => {
  const items = rows[0]?.[1] === null ? [] : rows.slice(0, 50).map(format);
  return { joined: items.join(','), count: rows.length, first: items[0], last: items.at(-1) };
};

const page = ({ joined, count, first, last }: Items, path: string, keyOf: KeyOf, goesBack = false): string => {
  const link = (side: 'after' | 'before', item: string | undefined): string =>
    item === undefined ? 'null' : `"${path}cursor=${cursorOf(side, keyOf(JSON.parse(item)))}"`;
  const next = link('after', count > 50 ? last : undefined);
  return `{"results":[${joined}],"next":${next},"previous":${link('before', goesBack ? first : undefined)}}`;
};

const likePattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * Makes a function that returns the list of a URL, or undefined if the caller has no right to it. With `asJson`, PostgreSQL
 * writes the JSON of the items.
 */
export const makeLists = (query: Query, asJson: boolean) => {
  const read = async (name: keyof typeof statements, { sid, sub }: TokenSubject, values: readonly unknown[] = []) => {
    const rows = await query(name, statements[name][asJson ? 'json' : 'rows'], [sid, sub, ...values]);
    if (!asJson) return rows.length === 0 ? undefined : itemsOf(rows, name === 'division' ? reference : item);
    const [joined, count, first, last] = rows[0] ?? [];
    return count
      ? { joined: joined ?? '', count: Number(count), first: first ?? undefined, last: last ?? undefined }
      : undefined;
  };

  return async (subject: TokenSubject, url: string): Promise<string | undefined> => {
    const show = async (
      name: keyof typeof statements,
      values: readonly unknown[],
      path: string,
      keyOf = byJoined,
      goesBack = false,
    ) => {
      const items = await read(name, subject, values);
      return items && page(items, path, keyOf, goesBack);
    };
    if (url.startsWith('/api/division/')) return show('division', [url.slice(14, 50)], `${url}?`, byUsername);
    const parameters = new URLSearchParams(url.slice(12));
    const [cursor, search] = [parameters.get('cursor'), parameters.get('search')];
    if (cursor !== null) {
      const [, , , ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
      return show('after', values, '/api/users/?', byJoined, true);
    }
    if (search !== null) {
      const patterns = search.toLowerCase().split(' ').map(likePattern);
      return show('search', [patterns], `${url}&`);
    }
    const since = parameters.get('birthdate__gte');
    if (since === null) return show('first', [], '/api/users/?');
    return show(
      'filtered',
      [`{${parameters.get('groups')}}`, parameters.get('is_active'), since],
      `${url}&`,
      byLastName,
    );
  };
};
