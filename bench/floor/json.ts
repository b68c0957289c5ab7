/** A row as it arrives: every value as text. */
export type Row = readonly (string | null)[];

const quoted = (value: string | null | undefined): string =>
  value ? JSON.stringify(value) : value === '' ? '""' : 'null';
const plain = (value: string | null | undefined): string => (value === null ? 'null' : `"${value}"`);
const flag = (value: string | null | undefined): string => (value === 't' ? 'true' : 'false');

/** An instant of the wire from one of the database. */
export const instant = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text[19] === '.' ? text.slice(20, -3).padEnd(3, '0') : '000'}Z`;

const groupsByText = new Map<string, string>();
const groups = (text: string): string => {
  const known = groupsByText.get(text);
  if (known !== undefined) return known;
  const array = JSON.stringify(
    ['Leader', 'Guest', 'User'].filter((group) => text.slice(1, -1).split(',').includes(group)),
  );
  groupsByText.set(text, array);
  return array;
};

/** A user as lists show them, of a row that begins with the division's name. */
export const item = (row: Row): string =>
  `{"id":"${row[1]}","username":"${row[2]}","email":${quoted(row[3])},"first_name":${quoted(row[4])},"last_name":${quoted(row[5])},"division":{"id":"${row[6]}","name":${quoted(row[0])}},"groups":${groups(row[7] ?? '')},"birthdate":${plain(row[8])},"is_active":${flag(row[9])},"is_staff":${flag(row[10])},"is_superuser":${flag(row[11])},"date_joined":"${instant(row[12] ?? '')}"}`;

/** A user as read by id. */
export const summary = (row: Row): string =>
  `{"id":"${row[0]}","username":"${row[1]}","division":{"id":"${row[3]}","name":${quoted(row[4])}},"birthdate":${plain(row[2])}}`;

/** A user as the list of a division shows them. */
export const reference = (row: Row): string => `{"id":"${row[0]}","username":"${row[1]}"}`;

/** A page of at most 50 items; `link` makes the address behind or before a row, where there is one. */
export const page = (
  rows: readonly Row[],
  itemOf: (row: Row) => string,
  link: (side: 'after' | 'before', row: Row) => string,
  goesBack: boolean,
): string => {
  // Of a list that is empty there is one row, without a username or an id.
  const found = rows[0]?.[1] === null ? [] : rows;
  const shown = found.slice(0, 50);
  const [first, last] = [shown[0], shown.at(-1)];
  const next = found.length > 50 && last ? `"${link('after', last)}"` : 'null';
  const previous = goesBack && first ? `"${link('before', first)}"` : 'null';
  return `{"results":[${shown.map(itemOf).join(',')}],"next":${next},"previous":${previous}}`;
};
