import { createRequire } from 'node:module';
import { PERSONAL_TOKEN_PATTERN } from '@chapter/domain/api';
import type { TString } from 'typebox';
import { IDEMPOTENCY_KEY, KEY_FORMAT, REQUEST_ID } from '../requests/headers.ts';
import type { Route } from '../routes/route.ts';
import { DivisionId, exampleOf, PersonalTokenId, SessionId, UserId } from '../schemas/fields.ts';
import {
  type Json,
  type JsonObject,
  namedSchemas,
  problemExamples,
  rejected,
  responsesOf,
  sharedHeaders,
  withReferences,
  withReferencesInside,
} from './responses.ts';

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

const sharedParameters: Readonly<Record<string, JsonObject>> = {
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
    pattern: REQUEST_ID.source,
  }),
  IfMatch: header('If-Match', 'Entity tags. If none is current, the response is 412.', ENTITY_TAGS),
  IfNoneMatch: header('If-None-Match', 'Entity tags. If one is current, the response is 304.', ENTITY_TAGS),
  IdempotencyKey: header(
    IDEMPOTENCY_KEY,
    'A repeated request with the same key, caller and body within 24 hours returns the first response again.',
    { type: 'string', pattern: KEY_FORMAT.source },
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

/** Returns the parameters of an operation: path, query, headers. `X-Request-Id`, which all have, comes last. */
const parametersOf = (route: Route): Json => [
  ...pathParameters(route),
  ...queryParameters(route),
  ...(route.input.headers ?? []).map(shared),
  ...(route.method === 'GET' && route.responseHeaders?.includes('ETag') ? [shared('If-None-Match')] : []),
  shared('X-Request-Id'),
];

/** The parts of the document that depend on the deployment. */
export interface DocumentOptions {
  /** The URL at which clients reach the service, without a trailing slash. */
  readonly serverUrl: string;
  /** The demo accounts that the description shows with their password. If null, the examples are generic. */
  readonly demo: DemoAccounts | null;
}

/** The demo accounts. The example of a login uses the first one. */
export interface DemoAccounts {
  readonly usernames: readonly string[];
  readonly password: string;
}

const DESCRIPTION = `Manages the members and divisions of one organisation chapter.

Log in with \`POST /api/auth/login/\` and send the access token as \`Authorization: Bearer …\`. Rights are read from the
database on every request. A resource that you may not read is reported as not found.

Errors are problems (RFC 9457) with a stable \`code\`. Paths match exactly, including the trailing slash. Names are
\`snake_case\`, dates follow ISO 8601, absent values are \`null\`.`;

const describeDemo = ({ usernames, password }: DemoAccounts): string =>
  `\n\n**Demo accounts:** ${usernames.map((name) => `\`${name}\``).join(', ')}; the password is \`${password}\`.`;

const TAGS: Readonly<Record<Route['tag'], string>> = {
  Authentication: 'Logins, sessions, tokens, password links, groups, and keys that verify tokens.',
  Users: 'The members of your division.',
  Divisions: 'The divisions of the chapter.',
  Service: 'Your account and the address of the service.',
};

const bodyOf = ({ input: { body }, operationId }: Route, demo: DemoAccounts | null): JsonObject | undefined => {
  if (!body) return undefined;
  const login = operationId === 'logIn' && demo ? { username: demo.usernames[0], password: demo.password } : null;
  const content = {
    schema: withReferences(body.schema),
    example: login ?? ((body.example ?? exampleOf(body.schema)) as Json),
  };
  return {
    required: !body.isOptional,
    content: Object.fromEntries(body.mediaTypes.map((mediaType) => [mediaType, content])),
  };
};

const operationOf = (route: Route, demo: DemoAccounts | null): JsonObject => ({
  operationId: route.operationId,
  tags: [route.tag],
  summary: route.summary,
  description: route.description,
  ...(route.isPublic ? { security: [] } : {}),
  parameters: parametersOf(route),
  requestBody: bodyOf(route, demo),
  responses: responsesOf(route),
});

const accessToken: JsonObject = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: `The \`access_token\` of a login, which is a JWT, or a personal access token: \`${PERSONAL_TOKEN_PATTERN}\`.`,
};

// The version of the product. All packages have the same.
const { version } = createRequire(import.meta.url)('../../package.json') as { readonly version: string };

/** Returns the OpenAPI 3.1 document of the routes, generated from their descriptions (contract §8). */
export const makeDocument = (routes: readonly Route[], { serverUrl, demo }: DocumentOptions): JsonObject => ({
  openapi: '3.1.0',
  info: {
    title: 'Chapter Membership Service',
    version,
    description: demo ? DESCRIPTION + describeDemo(demo) : DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: serverUrl }],
  security: [{ accessToken: [] }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  paths: Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, sharing]) => [
      path,
      Object.fromEntries(sharing.map((route) => [route.method.toLowerCase(), operationOf(route, demo)])),
    ]),
  ),
  components: {
    securitySchemes: { accessToken },
    schemas: Object.fromEntries(
      Object.entries(namedSchemas).map(([name, schema]) => [name, withReferencesInside(schema)]),
    ),
    parameters: sharedParameters,
    headers: sharedHeaders,
    responses: { Rejected: rejected },
    examples: problemExamples,
  },
});
