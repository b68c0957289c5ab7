/** A row with every value as PostgreSQL's text. */
type Row = readonly (string | null)[];

/** Runs a statement under a name. */
export type Query = (name: string, text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

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

type Text = string | null | undefined;
const quoted = (text: Text): string => JSON.stringify(text ?? null);
const flag = (text: Text): string => (text === 't' ? 'true' : 'false');
/** Converts PostgreSQL's text of an array of names to JSON. */
const groups = (text: Text): string => `["${text?.slice(1, -1).replaceAll(',', '","')}"]`;
/** Converts PostgreSQL's text of an instant to the format of the API. */
const instant = (text: Text = ''): string =>
  `${text?.slice(0, 10)}T${text?.slice(11, 19)}.${text?.[19] === '.' ? text.slice(20, -3).padEnd(3, '0') : '000'}Z`;

/** Formats a user as in lists. The row begins with the division's name. */
export const item = (row: Row): string =>
  `{"id":"${row[1]}","username":"${row[2]}","email":${quoted(row[3])},"first_name":${quoted(row[4])},"last_name":${quoted(row[5])},"division":{"id":"${row[6]}","name":${quoted(row[0])}},"groups":${groups(row[7])},"birthdate":${quoted(row[8])},"is_active":${flag(row[9])},"is_staff":${flag(row[10])},"is_superuser":${flag(row[11])},"date_joined":"${instant(row[12])}"}`;

/** Formats a user as read by id. */
export const summary = (row: Row): string =>
  `{"id":"${row[0]}","username":"${row[1]}","division":{"id":"${row[3]}","name":${quoted(row[4])}},"birthdate":${quoted(row[2])}}`;

const reference = (row: Row): string => `{"id":"${row[1]}","username":"${row[2]}"}`;

const members = (columns: string, conditions: string, order: string): string =>
  `select ${columns} from user_account u where u.division_id = c.division_id ${conditions} order by ${order} limit 51`;

// `rows` returns one row of nulls if the list is empty, and no row if the caller has no right. `json` returns one row: the page,
// the number of items, and the first and last one. Lists are in the order of `field`.
const list = (users: string, field = 'date_joined', format = item, asJson = ITEM_AS_JSON) => {
  const text = (columns: string) => `select ${columns}
    from user_account c join division d on d.id = c.division_id
    left join lateral (${users}) u on true where c.id = $1 and c.is_active and c.groups && '{Leader,Guest}'`;
  const page = `select array_to_string(i[1:50], ','), cardinality(i), i[1], i[50] from (${text(`array_agg(${asJson}) i`)}) page`;
  return { rows: text('d.name, u.*'), json: page, field, format };
};

// This condition is true for every row. With it, the planner can use the covering index, as in the service.
const COVERED = `and u.username >= ''`;
const BY_JOINED = 'u.date_joined, u.id';
const BY_USERNAME = 'u.username_key, u.id';
// `is true` hides a condition from the planner, which would read the inverted index of all divisions for it.
const FILTERS = 'and (u.groups && $2::member_group[]) is true and (u.is_active = $3) is true and u.birthdate >= $4';
// The index of the order contains the searched text, so that only the rows of the page are read.
const FOUND = members('u.id', 'and u.search like all($2::text[])', BY_JOINED);
const REFERENCES = members('u.id, u.username', 'and u.division_id = $2', BY_USERNAME);
const statements = {
  first: list(members(ITEM, COVERED, BY_JOINED)),
  after: list(members(ITEM, `${COVERED} and (u.date_joined, u.id) > ($2, $3)`, BY_JOINED)),
  filtered: list(members(ITEM, FILTERS, 'u.last_name_key desc, u.id desc'), 'last_name'),
  search: list(`select ${ITEM} from (${FOUND}) f join user_account u on u.id = f.id order by ${BY_JOINED}`),
  division: list(REFERENCES, 'username', reference, REFERENCE_AS_JSON),
};

/** Makes a cursor in the format of the service, without the checksum of the query, from an item in a list. */
const cursorOf = (side: 'after' | 'before', json: string, field: string): string => {
  const { id, [field]: value = '' } = JSON.parse(json) as Readonly<Record<string, string>>;
  const key = field === 'date_joined' ? value : value.toLowerCase();
  return Buffer.from(JSON.stringify(['', side, false, key, id])).toString('base64url');
};

/** Returns what PostgreSQL returns if it writes the JSON. */
const asPage = (rows: readonly Row[], format: (row: Row) => string): Row => {
  const items = rows[0]?.[1] === null ? [] : rows.slice(0, 50).map(format);
  return [items.join(','), String(rows.length || ''), items[0] ?? null, items[49] ?? null];
};

const likePattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`;

/**
 * Makes a function that returns the list of a URL, or undefined if the caller has no right to it. With `asJson`, PostgreSQL
 * writes the JSON of the items.
 */
export const makeLists =
  (query: Query, asJson: boolean) =>
  async (caller: string, url: string): Promise<string | undefined> => {
    const show = async (name: keyof typeof statements, values: readonly unknown[], path: string) => {
      const { rows: text, json, field, format } = statements[name];
      const rows = await query(name, asJson ? json : text, [caller, ...values]);
      const [joined, count, first, last] = (asJson ? rows[0] : asPage(rows, format)) ?? [];
      if (!count) return undefined;
      const link = (side: 'after' | 'before', from: string | null | undefined): string =>
        from ? `"${path}cursor=${cursorOf(side, from, field)}"` : 'null';
      const previous = link('before', name === 'after' ? first : null);
      return `{"results":[${joined}],"next":${link('after', Number(count) > 50 ? last : null)},"previous":${previous}}`;
    };
    if (url.startsWith('/api/division/')) return show('division', [url.slice(14, 50)], `${url}?`);
    const parameters = new URLSearchParams(url.slice(12));
    const [cursor, search] = [parameters.get('cursor'), parameters.get('search')];
    if (cursor !== null) {
      const [, , , ...values] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
      return show('after', values, '/api/users/?');
    }
    if (search !== null) return show('search', [search.toLowerCase().split(' ').map(likePattern)], `${url}&`);
    const since = parameters.get('birthdate__gte');
    if (since === null) return show('first', [], '/api/users/?');
    return show('filtered', [`{${parameters.get('groups')}}`, parameters.get('is_active'), since], `${url}&`);
  };
