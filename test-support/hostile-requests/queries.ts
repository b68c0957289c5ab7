import { fill, fillNumbered, HOSTILE_TEXTS, type HostileInput, MAX_QUERY, marks } from './hostile-input.ts';

const USERS = '/api/users/';
const ID = '0190a000-0000-7000-8000-00000000000f';
const PATHS: Readonly<Record<string, 'leader' | 'administrator' | undefined>> = {
  [USERS]: 'leader',
  '/api/divisions/': 'administrator',
  '/api/division/{division}/users/': 'leader',
  '/api/auth/keys/': undefined,
};

const query = (path: string, what: string, text: (bytes: number) => string): HostileInput => {
  const as = PATHS[path];
  return {
    title: `${what} (GET ${path})`,
    maxBytes: MAX_QUERY,
    make: (bytes) => ({ method: 'GET', path: `${path}?${text(bytes)}`, ...(as && { as }) }),
  };
};

/** Returns percent-encoded text of the given number of bytes. */
const encoded = (bytes: number, text: (bytes: number) => string): string => {
  const perByte = encodeURIComponent(text(90)).length / Buffer.byteLength(text(90));
  return encodeURIComponent(text(bytes / perByte))
    .slice(0, bytes)
    .replace(/%.?$/, '');
};

const base64 = (bytes: number, text: (bytes: number) => string): string =>
  Buffer.from(text((bytes * 3) / 4 - 2)).toString('base64url');

/** Query strings for every path, by their content. */
const PARAMETERS: Readonly<Record<string, (bytes: number) => string>> = {
  'unknown parameters': (bytes) => fillNumbered(bytes, '&', (at) => `x${at}=1`),
  'unknown parameters of one character': (bytes) =>
    fillNumbered(bytes, '&', (at) => String.fromCharCode(97 + (at % 26))),
  'near misses of parameters': (bytes) => fillNumbered(bytes, '&', (at) => `usernam${at}`),
  'near misses of 64 characters': (bytes) =>
    fillNumbered(bytes, '&', (at) => `first_name__icontain${at}`.padEnd(64, 'first_name__icontains')),
  'one parameter repeated': (bytes) => fillNumbered(bytes, '&', () => 'username=a'),
  'parameters that occur twice': (bytes) => fillNumbered(bytes, '&', (at) => `x${at >> 1}`),
  'escaped names': (bytes) => fillNumbered(bytes, '&', (at) => `%75sername%5f${at}`),
  'only ampersands': (bytes) => fill(bytes, '&'),
  'only equals signs': (bytes) => fill(bytes, '='),
  'empty parameters': (bytes) => fill(bytes, '=&'),
  'broken escapes': (bytes) => fillNumbered(bytes, '&', (at) => `a${at}=%ZZ`),
  'a long broken escape': (bytes) => `search=${fill(bytes - 7, '%')}`,
  'a long name': (bytes) => fill(bytes, 'x'),
  'a long name of combining marks': (bytes) => encoded(bytes, marks),
  'escaped cursors': (bytes) => `page_size=1&${fillNumbered(bytes - 12, '&', () => '%63ursor=')}`,
};

const NAMES = [
  'search',
  'username',
  'username__in',
  'email__icontains',
  'date_joined',
  'birthdate',
  'id',
  'groups',
  'is_active',
  'cursor',
  'page_size',
  'ordering',
  'count',
];

const MARKS_PARAMETER = `username=${encodeURIComponent(marks(2000))}`;

/** Returns a position in the default order with a long instant. */
const longInstant = (bytes: number): string =>
  JSON.stringify(['x', 'after', false, `2026-01-01T00:00:00.${fill(bytes - 100, '0')}Z`, ID]);

/** Parameters of the list of users, by their content. */
const VALUES: Readonly<Record<string, (bytes: number) => string>> = {
  'filters of 1,000 combining marks': (bytes) =>
    fillNumbered(bytes, '&', (at) =>
      MARKS_PARAMETER.replace('username', ['username', 'email', 'first_name', 'last_name'][at % 4] ?? ''),
    ),
  'values of 100 combining marks': (bytes) =>
    `username__in=${fillNumbered(bytes - 13, ',', () => encodeURIComponent(marks(200)))}`,
  'commas in a filter': (bytes) => `username__in=${fill(bytes - 13, ',')}`,
  'values of a filter': (bytes) => `username__in=${fillNumbered(bytes - 13, ',', (at) => `${at}`.padEnd(200, 'x'))}`,
  'ids of a filter': (bytes) => `id__in=${fillNumbered(Math.min(bytes, 3700), ',', () => ID)}`,
  'dates of a filter': (bytes) => `birthdate__in=${fillNumbered(bytes - 14, ',', () => '2000-02-29')}`,
  'commas in an order': (bytes) => `ordering=${fill(bytes - 9, ',')}`,
  'fields in an order': (bytes) => `ordering=${fillNumbered(bytes - 9, ',', () => '-username')}`,
  'a near miss in an order': (bytes) => `ordering=${fill(bytes - 9, 'username')}`,
  'words of a search': (bytes) => `search=${fill(bytes - 7, 'a+')}`,
  'digits of a fraction': (bytes) => `date_joined=2026-01-01T00:00:00.${fill(bytes - 40, '1')}Z`,
  'digits of a day': (bytes) => `birthdate=${fill(bytes - 10, '2026-01-')}`,
  'base64 in a cursor': (bytes) => `cursor=${fill(bytes - 7, 'A')}`,
  'base64 and a wrong character': (bytes) => `cursor=${fill(bytes - 8, 'A')}.`,
  'nested arrays in a cursor': (bytes) =>
    `cursor=${base64(bytes - 8, (size) => fill(size / 2, '[') + fill(size / 2, ']'))}`,
  'numbers in a cursor': (bytes) => `cursor=${base64(bytes - 8, (size) => `[${fillNumbered(size, ',', () => '1')}]`)}`,
  'a long number in a cursor': (bytes) => `cursor=${base64(bytes - 8, (size) => `[${fill(size - 2, '9')}]`)}`,
  'a long instant in a cursor': (bytes) => `cursor=${base64(bytes - 8, longInstant)}`,
};

/** Query strings of the maximum size. */
export const hostileQueries: readonly HostileInput[] = [
  ...Object.keys(PATHS).flatMap((path) => Object.entries(PARAMETERS).map(([what, text]) => query(path, what, text))),
  ...NAMES.flatMap((name) =>
    Object.entries(HOSTILE_TEXTS).map(([what, text]) =>
      query(USERS, `${what} as ${name}`, (bytes) => `${name}=${encoded(bytes - name.length - 1, text)}`),
    ),
  ),
  ...Object.entries(VALUES).map(([what, text]) => query(USERS, what, text)),
];
