// The baseline: the smallest server that can serve the benchmarked requests on the tables of the service. It reads the caller's
// rights and the target in one statement, so that each request takes one trip. It has no sessions, audit, validation, problems,
// request ids or limits. Logins and creations have no baseline.
import { createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { Client } from 'pg';
import { ITEM, ITEM_AS_JSON, item, makeLists, type Query, SUMMARY_AS_JSON, summary } from './baseline/lists.ts';

const { DATABASE_URL, JWT_KEYS_FILE = '', PORT, POSTGRESQL_WRITES_JSON } = process.env;
const asJson = POSTGRESQL_WRITES_JSON === 'true';

interface ResponseParts {
  readonly body: string;
  readonly etag?: string;
}

const { keys } = JSON.parse(readFileSync(JWT_KEYS_FILE, 'utf8')) as { readonly keys: readonly [object] };
const publicKey = createPublicKey(createPrivateKey({ key: { ...keys[0] }, format: 'jwk' }));
/** One for each processor of the machine that the results come from. With more, each request uses more CPU. */
const CONNECTIONS = 2;
const clients = Array.from({ length: CONNECTIONS }, () => {
  const client = new Client({
    connectionString: DATABASE_URL,
    // The settings of the service's connections. Without the last one, PostgreSQL would plan the deep page each time.
    options:
      '-c timezone=UTC -c datestyle=ISO,YMD -c max_parallel_workers_per_gather=0 -c jit=off -c random_page_cost=1.1 -c plan_cache_mode=force_generic_plan',
    types: { getTypeParser: () => (text: string) => text },
    // A statement is sent before those before it are answered.
    pipeline: true,
  });
  return client.on('error', () => {});
});
await Promise.all(clients.map((client) => client.connect()));

let turn = 0;
const query: Query = (name, text, values) => {
  turn = (turn + 1) % CONNECTIONS;
  const sent = { name, text, values: [...values], rowMode: 'array' as const };
  return (clients[turn] as Client).query<(string | null)[]>(sent).then(({ rows }) => rows);
};
const lists = makeLists(query, asJson);

const callers = new Map<string, string>();

/** Verifies the signature of each token once, and returns the caller's id. */
const callerOf = (authorization: string): string | undefined => {
  const found = callers.get(authorization);
  if (found !== undefined) return found;
  const [header, payload = '', signature = ''] = authorization.slice('Bearer '.length).split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify(null, signed, publicKey, Buffer.from(signature, 'base64url'))) return undefined;
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly sub: string };
  callers.set(authorization, sub);
  return sub;
};

const READ = `select u.version, d.name_version, ${asJson ? SUMMARY_AS_JSON : 'u.id, u.username, u.birthdate, u.division_id, d.name'}
  from user_account c join user_account u on u.id = $2 join division d on d.id = u.division_id
  where c.id = $1 and c.is_active and (u.id = c.id or (u.division_id = c.division_id and c.groups && '{Leader,Guest}'))`;

const CHANGE = `with u as (
    update user_account u set first_name = $3, first_name_key = $4, version = u.version + 1 from user_account c
    where u.id = $2 and c.id = $1 and c.is_active and (u.id = c.id or (u.division_id = c.division_id and c.groups @> '{Leader}'))
    returning ${ITEM}, u.version
  )
  select u.version, d.name_version, ${asJson ? ITEM_AS_JSON : `d.name, ${ITEM}`} from u join division d on d.id = u.division_id`;

/** Runs a statement whose row has the version, the version of the division's name, and the values or the JSON of the user. */
const respondWithRow = async (
  name: string,
  text: string,
  values: readonly unknown[],
  format: (row: readonly (string | null)[]) => string,
): Promise<ResponseParts | undefined> => {
  const [row] = await query(name, text, values);
  if (!row) return undefined;
  const [version, nameVersion, ...user] = row;
  return { body: asJson ? (user[0] ?? '') : format(user), etag: `"${version}.${nameVersion}"` };
};

const handle = async (request: IncomingMessage): Promise<ResponseParts | undefined> => {
  const { method, url = '', headers } = request;
  const caller = callerOf(headers.authorization ?? '');
  if (caller === undefined) return undefined;
  if (method === 'PATCH') {
    const { first_name: name } = (await json(request)) as { readonly first_name: string };
    return respondWithRow('change', CHANGE, [caller, url.slice(11), name, name.toLowerCase()], item);
  }
  const isList = url.startsWith('/api/division/') || url === '/api/users/' || url[11] === '?';
  if (!isList) return respondWithRow('read', READ, [caller, url.slice(11, -1)], summary);
  const body = await lists(caller, url);
  return body === undefined ? undefined : { body };
};

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  try {
    const found = await handle(request);
    const { body, etag } = found ?? { body: '{}' };
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    response.writeHead(found ? 200 : 404, etag ? { ...headers, ETag: etag } : headers).end(body);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
};

// The same as in the service. Otherwise, a light load would use connections that are being closed.
const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => void respond(request, response));
server.listen(Number(PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  server.close(() => void Promise.all(clients.map((client) => client.end())));
  server.closeIdleConnections();
});
