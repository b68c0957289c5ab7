import type { TString } from 'typebox';
import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from '../requests/headers.ts';
import type { Route } from '../routes/route.ts';
import { DivisionId, exampleOf, PersonalTokenId, SessionId, UserId } from '../schemas/fields.ts';
import { type Json, type JsonObject, withReferences } from './components.ts';

const header = (name: string, description: string, schema: JsonObject): JsonObject => ({
  name,
  in: 'header',
  description,
  schema,
});

const ENTITY_TAGS: JsonObject = { type: 'string' };

const idIn = (description: string, id: TString): JsonObject => ({
  name: 'id',
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', format: 'uuid' },
  example: exampleOf(id) as Json,
});

/** The parameters that several operations share, by the name of the component. */
export const sharedParameters: Readonly<Record<string, JsonObject>> = {
  UserId: idIn('The id of a user, in upper or lower case.', UserId),
  DivisionId: idIn('The id of a division, in upper or lower case.', DivisionId),
  SessionId: idIn(
    'The id of one of your sessions, as `GET /api/auth/sessions/` returns it, in upper or lower case.',
    SessionId,
  ),
  AccessTokenId: idIn(
    'The id of one of your tokens, as `GET /api/auth/access-tokens/` returns it, in upper or lower case.',
    PersonalTokenId,
  ),
  XRequestId: header('X-Request-Id', 'An id for the logs and the audit trail. The response repeats it.', {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,128}$',
  }),
  IfMatch: header('If-Match', 'Entity tags. If none is current, the response is 412.', ENTITY_TAGS),
  IfNoneMatch: header('If-None-Match', 'Entity tags. If one is current, the response is 304.', ENTITY_TAGS),
  IdempotencyKey: header(
    IDEMPOTENCY_KEY,
    'A repeated request with the same key, caller and body within 24 hours returns the first response again.',
    { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
  ),
};

const shared = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name.replaceAll('-', '')}` });

/** The parameter `{id}` of the paths that begin with each prefix. */
const ID_PARAMETERS = [
  ['/api/users/', 'UserId'],
  ['/api/auth/sessions/', 'SessionId'],
  ['/api/auth/access-tokens/', 'AccessTokenId'],
  ['/api/division', 'DivisionId'],
] as const;

const pathParameters = ({ path }: Route): readonly JsonObject[] =>
  path.includes('{id}')
    ? ID_PARAMETERS.filter(([prefix]) => path.startsWith(prefix)).map(([, name]) => shared(name))
    : [];

const queryParameters = ({ input }: Route): readonly JsonObject[] =>
  [...(input.list?.parameters.values() ?? input.parameters ?? [])].map(({ name, description, schema, only }) => ({
    name,
    in: 'query',
    description: only ? `${description} ${only === 'csv' ? 'Only for CSV.' : 'Not for CSV.'}` : description,
    schema: withReferences(schema),
  }));

/** Returns the parameters of an operation: path, query, headers. `X-Request-Id`, which every operation has, comes last. */
export const parametersOf = (route: Route): Json => [
  ...pathParameters(route),
  ...queryParameters(route),
  ...(route.input.headers ?? []).map(shared),
  ...(route.method === 'GET' && route.responseHeaders?.includes('ETag') ? [shared('If-None-Match')] : []),
  shared('X-Request-Id'),
];
