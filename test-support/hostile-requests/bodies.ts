import {
  fill,
  fillNumbered,
  HOSTILE_TEXTS,
  type HostileInput,
  type HostileRequest,
  MAX_BODY,
} from './hostile-input.ts';

type Target = Pick<HostileRequest, 'method' | 'path' | 'as'>;

const LOGIN: Target = { method: 'POST', path: '/api/auth/login/' };
const REFRESH: Target = { method: 'POST', path: '/api/auth/tokens/' };
const LOGOUT: Target = { method: 'DELETE', path: '/api/auth/tokens/' };
const REDEMPTION: Target = { method: 'POST', path: '/api/auth/passwords/' };
const LINK: Target = { method: 'POST', path: '/api/users/{user}/password-links/', as: 'leader' };
const CREATION: Target = { method: 'POST', path: '/api/users/', as: 'leader' };
const CHANGE: Target = { method: 'PATCH', path: '/api/users/{user}', as: 'leader' };
const DIVISION: Target = { method: 'PATCH', path: '/api/divisions/{division}', as: 'leader' };

type Fields = readonly [target: Target, hostile: readonly string[], others?: Readonly<Record<string, string>>];

const FIELDS: readonly Fields[] = [
  [LOGIN, ['username'], { password: 'x' }],
  [LOGIN, ['password'], { username: 'leader' }],
  [LOGIN, ['username', 'password']],
  [REFRESH, ['refresh_token']],
  [LOGOUT, ['refresh_token']],
  [REDEMPTION, ['token'], { password: 'a long secret' }],
  [REDEMPTION, ['password'], { token: 'x' }],
  [LINK, ['x']],
  [CREATION, ['username', 'email', 'first_name', 'last_name', 'birthdate', 'division', 'password']],
  [CHANGE, ['email']],
  [CHANGE, ['password', 'current_password']],
  [DIVISION, ['name', 'logo', 'fanpage']],
];

const withBody = (target: Target, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) => ({
  ...target,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});

const JSON_OVERHEAD_BYTES = 256;

/** Returns how many bytes of a JSON string each byte of a text takes. */
const quotedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) / Buffer.byteLength(text);

const inFields = (
  [target, fields, others]: Fields,
  [what, text]: readonly [string, (bytes: number) => string],
): HostileInput => ({
  title: `${what} as ${fields.join(', ')} (${target.method} ${target.path})`,
  maxBytes: MAX_BODY,
  make: (bytes) => {
    const each = (bytes - JSON_OVERHEAD_BYTES) / fields.length / quotedBytes(text(100));
    return withBody(
      target,
      JSON.stringify({ ...others, ...Object.fromEntries(fields.map((field) => [field, text(each)])) }),
    );
  },
});

/** Bodies of a creation or a login, by their content. */
const JSON_TEXTS: Readonly<Record<string, (bytes: number) => string | Buffer>> = {
  'nested arrays': (bytes) => `{"x":${fill(bytes / 2 - 4, '[')}${fill(bytes / 2 - 4, ']')}}`,
  'nested objects': (bytes) => fill((bytes * 5) / 6, '{"a":') + '1' + fill(bytes / 6 - 1, '}'),
  'nested groups': (bytes) => `{"groups":[${fill(bytes / 2 - 8, '[')}${fill(bytes / 2 - 8, ']')}]}`,
  'unterminated arrays': (bytes) => fill(bytes, '['),
  'unterminated objects': (bytes) => fill(bytes, '{"a":'),
  'an unterminated string': (bytes) => `{"a":"${fill(bytes - 6, 'x')}`,
  'a backslash at the end': (bytes) => `{"a":"${fill(bytes - 7, '\\\\')}\\`,
  'escapes in a name': (bytes) => `{"${fill(bytes - 6, '\\u0301')}":1}`,
  'escapes in a value': (bytes) => `{"username":"${fill(bytes - 16, '\\u0301\\u0316')}"}`,
  'lone surrogates': (bytes) => `{"password":"${fill(bytes - 16, '\\ud800')}"}`,
  'a long number': (bytes) => `{"username":${fill(bytes - 16, '9')}}`,
  'a long fraction': (bytes) => `{"username":0.${fill(bytes - 24, '1')}e-${fill(4, '9')}}`,
  'a long exponent': (bytes) => `{"username":1e${fill(bytes - 18, '9')}}`,
  'white space around the value': (bytes) => `${fill(bytes / 2 - 2, ' \t\r\n')}{}${fill(bytes / 2 - 2, '\n')}`,
  'white space without a value': (bytes) => fill(bytes, ' '),
  'only commas': (bytes) => `[${fill(bytes - 2, ',')}]`,
  'bytes that are not UTF-8': (bytes) => Buffer.alloc(bytes, 0xff),
  'unknown names': (bytes) => `{${fillNumbered(bytes - 2, ',', (at) => `"x${at}":1`)}}`,
  'near misses': (bytes) => `{${fillNumbered(bytes - 2, ',', (at) => `"usernam${at}":1`)}}`,
  'near misses of 64 characters': (bytes) =>
    `{${fillNumbered(bytes - 2, ',', (at) => `"${`first_name${at}`.padEnd(64, 'first_name')}":1`)}}`,
  'numeric names': (bytes) => `{${fillNumbered(bytes - 2, ',', (at) => `"${4_294_967_294 - at * 65_536}":1`)}}`,
  'one long name': (bytes) => `{"${fill(bytes - 6, 'x')}":1}`,
  'one name repeated': (bytes) => `{${fillNumbered(bytes - 2, ',', () => '"x":1')}}`,
  'a field repeated': (bytes) => `{${fillNumbered(bytes - 2, ',', () => '"username":"x"')}}`,
  'names that occur twice': (bytes) => `{${fillNumbered(bytes - 2, ',', (at) => `"x${at >> 1}":1`)}}`,
  'names that occur twice in nested objects': (bytes) =>
    `{"x":[${fillNumbered(bytes - 8, ',', () => '{"a":1,"a":1}')}]}`,
  'names of prototypes': (bytes) => `{${fillNumbered(bytes - 2, ',', () => '"__proto__":{"x":1}')}}`,
  'empty names': (bytes) => `{${fillNumbered(bytes - 2, ',', () => '"":1')}}`,
  'one group repeated': (bytes) => `{"groups":[${fillNumbered(bytes - 13, ',', () => '"User"')}]}`,
  'unknown groups': (bytes) => `{"groups":[${fillNumbered(bytes - 13, ',', (at) => `"${at}"`)}]}`,
  'groups of other types': (bytes) => `{"groups":[${fillNumbered(bytes - 13, ',', () => '{}')}]}`,
  'a long group': (bytes) => `{"groups":["${fill(bytes - 20, 'x')}"]}`,
};

const TARGETS: readonly Target[] = [CREATION, LOGIN];

/** A body in chunks of one byte, which take six bytes on the wire for every byte of the body. */
const chunked = (bytes: number): HostileRequest => ({
  ...LOGIN,
  headers: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
  body: `${fill(bytes * 6, '1\r\n \r\n')}0\r\n\r\n`,
});

/** Bodies of the maximum size. */
export const hostileBodies: readonly HostileInput[] = [
  ...FIELDS.flatMap((where) => Object.entries(HOSTILE_TEXTS).map((text) => inFields(where, text))),
  ...TARGETS.flatMap((target) =>
    Object.entries(JSON_TEXTS).map(([what, text]) => ({
      title: `${what} (${target.method} ${target.path})`,
      maxBytes: MAX_BODY,
      make: (bytes: number) => withBody(target, text(bytes)),
    })),
  ),
  { title: 'chunks of one byte', maxBytes: 4096, make: chunked },
  { title: 'too many chunks of one byte', maxBytes: MAX_BODY, isDisconnected: true, make: chunked },
];
