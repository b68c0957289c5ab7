import { fill, fillNumbered, type HostileInput, type HostileRequest, MAX_HEADER } from './hostile-input.ts';

const KEYS: HostileRequest = { method: 'GET', path: '/api/auth/keys/' };
const READ: HostileRequest = { method: 'GET', path: '/api/users/{user}/', as: 'leader' };
const LIST: HostileRequest = { method: 'GET', path: '/api/division/{division}/users/', as: 'leader' };
const LOGIN: HostileRequest = { method: 'POST', path: '/api/auth/login/', body: '{"username":"x","password":"x"}' };
const CREATION: HostileRequest = { method: 'POST', path: '/api/users/', as: 'leader', body: '{}' };
const CHANGE: HostileRequest = { method: 'PATCH', path: '/api/users/{user}', as: 'leader', body: '{}' };
const PREFLIGHT: HostileRequest = { method: 'OPTIONS', path: '/api/users/' };
const DOCUMENT: HostileRequest = { method: 'GET', path: '/api/openapi/' };

/** Values of headers that some regular expressions are slow on. */
const VALUES: Readonly<Record<string, (bytes: number) => string>> = {
  commas: (bytes) => fill(bytes, ','),
  'commas and spaces': (bytes) => `x${fill(bytes - 2, ' ,')}x`,
  spaces: (bytes) => `x${fill(bytes - 2, ' ')}x`,
  'tabs and commas': (bytes) => `,${fill(bytes - 2, '\t')},`,
  quotes: (bytes) => fill(bytes, '"'),
  'entity tags': (bytes) => fillNumbered(bytes, ',', (at) => `"${at}"`),
  'weak entity tags': (bytes) => fill(bytes, 'W/"", '),
  'an unterminated entity tag': (bytes) => `"${fill(bytes - 1, 'x')}`,
  'prefixes of weak entity tags': (bytes) => fill(bytes, 'W/'),
  letters: (bytes) => fill(bytes, 'a'),
  digits: (bytes) => fill(bytes, '1'),
  dots: (bytes) => fill(bytes, '.'),
  colons: (bytes) => fill(bytes, ':'),
  brackets: (bytes) => fill(bytes, '['),
  addresses: (bytes) => fill(bytes, '10.0.0.1, '),
  parameters: (bytes) => `application/json${fill(bytes - 16, ';a=b')}`,
  'spaces in a parameter': (bytes) => `application/json;a${fill(bytes - 19, ' ')}b`,
  'a quoted parameter': (bytes) => `application/json;a="${fill(bytes - 20, '\\"')}`,
  'a bearer token': (bytes) => `Bearer ${fill(bytes - 7, 'a')}`,
  'a bearer token of dots': (bytes) => `Bearer ${fill(bytes - 7, '.')}`,
  'a bearer token of 4 KiB': () => `Bearer eyJhbGciOiJFZERTQSJ9.${fill(2000, 'eyJh')}.${fill(2000, 'eyJh')}`,
  'a bearer token with padding': (bytes) => `Bearer a${fill(bytes - 9, '=')}x`,
  'a bearer token after spaces': (bytes) => `Bearer ${fill(bytes - 9, ' ')},x`,
  'an origin': (bytes) => `https://${fill(bytes - 8, 'app.')}`,
};

const HEADERS: Readonly<Record<string, HostileRequest>> = {
  Authorization: { ...READ, as: undefined as never },
  'Content-Type': LOGIN,
  'Content-Encoding': LOGIN,
  'If-Match': CHANGE,
  'If-None-Match': READ,
  'Idempotency-Key': CREATION,
  'X-Forwarded-For': KEYS,
  'X-Request-Id': KEYS,
  Origin: KEYS,
  Accept: READ,
  'Access-Control-Request-Headers': PREFLIGHT,
  'Access-Control-Request-Method': PREFLIGHT,
};

const ofDocument = Object.entries(VALUES).map(
  ([what, value]): HostileInput => ({
    title: `${what} in If-None-Match (GET ${DOCUMENT.path})`,
    maxBytes: MAX_HEADER,
    make: (bytes) => ({ ...DOCUMENT, headers: { 'If-None-Match': value(bytes) } }),
  }),
);

/** Parts of an `Accept` header that asks for CSV. */
const ACCEPTED: Readonly<Record<string, string>> = {
  'media ranges': ',a/b;q=0.1',
  parameters: ';a=b',
  'semicolons and spaces': '; ',
  'spaces and commas': ' ,',
  spaces: ' ',
  'quoted parameters': ';a="\\""',
  'unterminated quoted parameters': ';a="\\"',
  letters: 'a',
};

const ofList = Object.entries(ACCEPTED).map(
  ([what, unit]): HostileInput => ({
    title: `${what} in Accept (GET ${LIST.path})`,
    maxBytes: MAX_HEADER,
    make: (bytes) => ({ ...LIST, headers: { Accept: `text/csv;a=b${fill(bytes - 12, unit)}` } }),
  }),
);

/** Paths, by their content. */
const PATHS: Readonly<Record<string, (bytes: number) => string>> = {
  slashes: (bytes) => fill(bytes, '/'),
  'slashes after a path': (bytes) => `/api/users${fill(bytes - 10, '/')}`,
  'a long id': (bytes) => `/api/users/${fill(bytes - 12, 'a')}/`,
  'a long id of digits and hyphens': (bytes) => `/api/users/${fill(bytes - 12, '0-')}/`,
  'an id of escapes': (bytes) => `/api/users/${fill(bytes - 12, '%41')}/`,
  'an id of escaped marks': (bytes) => `/api/users/${fill(bytes / 2 - 12, '%CC%81')}${fill(bytes / 2, '%CC%96')}/`,
  'an id of broken escapes': (bytes) => `/api/users/${fill(bytes - 12, '%')}/`,
  'a long name': (bytes) => `/api/${fill(bytes - 5, 'x')}`,
  'many names': (bytes) => fill(bytes, '/api'),
  'many dots': (bytes) => fill(bytes, '/..'),
  semicolons: (bytes) => `/api/users/${fill(bytes - 11, ';')}`,
};

const manyHeaders = (bytes: number): HostileRequest => ({
  ...KEYS,
  headers: Object.fromEntries(
    fillNumbered(bytes, '\r\n', (at) => `x-${at.toString(36)}: 1`)
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string]),
  ),
});

/** Request heads of the maximum size. */
export const hostileHeads: readonly HostileInput[] = [
  ...Object.entries(HEADERS).flatMap(([name, request]) =>
    Object.entries(VALUES).map(([what, value]) => ({
      title: `${what} in ${name} (${request.method} ${request.path})`,
      maxBytes: MAX_HEADER,
      make: (bytes: number): HostileRequest => {
        const headers = { 'Content-Type': 'application/json', [name]: value(bytes) };
        return { ...request, headers };
      },
    })),
  ),
  ...ofDocument,
  ...ofList,
  ...Object.entries(PATHS).map(
    ([what, path]): HostileInput => ({
      title: `${what} in the path`,
      maxBytes: MAX_HEADER,
      make: (bytes) => ({ ...READ, path: path(bytes) }),
    }),
  ),
  // Node counts about thirty bytes more per header than there are on the wire.
  { title: 'many headers', maxBytes: MAX_HEADER / 5, make: manyHeaders },
];
