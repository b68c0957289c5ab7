import { STATUS_CODES } from 'node:http';
import * as domain from '@chapter/domain/api';
import * as httpErrors from '../errors/problem.ts';
import { type OperationCode, PROBLEM_STATUS } from '../errors/problem-codes.ts';
import { authenticationRequired, CSV_TYPE } from '../requests/headers.ts';
import { BODY_LIMIT, JSON_TYPE } from '../requests/read-json.ts';
import type { Route } from '../routes/route.ts';
import * as divisions from '../schemas/division.ts';
import { type ExampleSource, exampleOf } from '../schemas/fields.ts';
import * as problems from '../schemas/problem.ts';
import { Problem } from '../schemas/problem.ts';
import * as service from '../schemas/service.ts';
import * as sessions from '../schemas/session.ts';
import * as users from '../schemas/user.ts';

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Undefined members are omitted. */
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** The named schemas of the document, by the name of their export. */
export const namedSchemas: Readonly<Record<string, object>> = {
  ...sessions,
  ...users,
  ...divisions,
  ...service,
  ...problems,
};

const names = new Map(Object.entries(namedSchemas).map(([name, schema]) => [schema, name]));

const mapValues = <T>(values: Readonly<Record<string, T>>, map: (value: T) => Json | undefined): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));

/** Converts the schema of a property to JSON with examples. JSON Schema 2020-12 allows them next to a reference. */
const withExamples = (property: ExampleSource): JsonObject => ({
  ...(withReferences(property) as JsonObject),
  examples: (property.examples ?? [exampleOf(property) ?? null]) as readonly Json[],
});

/** Converts a schema to JSON, with references in place of named schemas, and with examples of every property. */
export const withReferences = (schema: unknown): Json => {
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const name = names.get(schema);
  return name === undefined ? withReferencesInside(schema) : { $ref: `#/components/schemas/${name}` };
};

/** Converts a schema to JSON like {@link withReferences}, but does not replace the schema itself. */
export const withReferencesInside = (schema: object): Json => {
  if (Array.isArray(schema)) return schema.map(withReferences);
  const { properties } = schema as ExampleSource;
  return {
    ...mapValues(schema as Readonly<Record<string, unknown>>, withReferences),
    ...(properties ? { properties: mapValues(properties, withExamples) } : {}),
  };
};

const header = (description: string, schema: JsonObject): JsonObject => ({ description, required: true, schema });
const text: JsonObject = { type: 'string' };

/** The headers of responses, by the name of the component. */
export const sharedHeaders: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': header('The id of the request in the logs.', text),
  ETag: header('A strong entity tag of the representation.', text),
  Location: header('The path of the created resource.', { type: 'string', format: 'uri-reference' }),
  'WWW-Authenticate': header('The authentication scheme. RFC 6750, section 3.', text),
  'Content-Disposition': {
    description: 'Only of a response as CSV: `attachment` with a file name. RFC 6266.',
    schema: text,
  },
  'Retry-After': header('Seconds to wait before the next attempt.', { type: 'integer' }),
};

const headers = (...names: readonly string[]): JsonObject =>
  Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const headersOfRefusal = (status: number): JsonObject => {
  if (status === 401) return headers('WWW-Authenticate');
  return status === 429 || status === 503 ? headers('Retry-After') : headers();
};

const codesOfCaller = ({ operationId }: Route): readonly OperationCode[] => {
  const codes = ['authentication_required', 'invalid_token'] as const;
  if (domain.sessionActions.includes(operationId)) return [...codes, 'session_required'];
  return domain.readingActions.includes(operationId) ? codes : [...codes, 'read_only_token'];
};

/** Returns every problem code of an operation, including those that all operations with a body or a token have. */
const codesOf = (route: Route): readonly OperationCode[] => {
  const { isPublic, input, problems } = route;
  return [
    ...(input.body ? (['malformed_json', 'bad_request'] as const) : []),
    ...(isPublic ? [] : codesOfCaller(route)),
    'validation_failed',
    ...problems,
    ...(input.body ? (['body_too_large', 'unsupported_media_type'] as const) : []),
    'rate_limited',
    'internal_error',
    'unavailable',
  ];
};

const refusal = (status: number, codes: readonly OperationCode[]): JsonObject => ({
  description: `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
  headers: headersOfRefusal(status),
  content: {
    [httpErrors.PROBLEM_TYPE]: {
      schema: withReferences({
        allOf: [
          Problem,
          { type: 'object', properties: { status: { const: status }, code: { type: 'string', enum: codes } } },
        ],
      }),
      examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
    },
  },
});

const SUCCESS_DESCRIPTIONS = { 200: 'Success.', 201: 'Created.', 204: 'Success, without a body.' } as const;

/**
 * Returns the content of a successful response. CSV is in an extension, which the documentation page reads: a second
 * type in `content` would make the body a union in generated clients, most of which never ask for CSV.
 */
const contentOf = ({ ok, example, csvExample }: Route): JsonObject => ({
  ...(ok
    ? { content: { [JSON_TYPE]: { schema: withReferences(ok), example: (example ?? exampleOf(ok)) as Json } } }
    : {}),
  ...(csvExample === undefined ? {} : { 'x-content': { [CSV_TYPE]: { schema: text, example: csvExample } } }),
});

const success = (route: Route): JsonObject => ({
  description: SUCCESS_DESCRIPTIONS[route.status],
  headers: headers(
    ...(route.responseHeaders ?? []),
    ...(route.csvExample === undefined ? [] : ['Content-Disposition']),
  ),
  ...contentOf(route),
});

/** The response to a request that is refused before its operation is found. */
export const rejected: JsonObject = {
  description: '`bad_request` (400), `request_timeout` (408), `headers_too_large` (431), `not_implemented` (501).',
  headers: headers(),
  content: { [httpErrors.PROBLEM_TYPE]: { schema: withReferences(Problem) } },
};

/** Returns the responses of an operation, by status. */
export const responsesOf = (route: Route): JsonObject => {
  const refusals = Map.groupBy(codesOf(route), (code) => PROBLEM_STATUS[code]);
  const conditional = route.method === 'GET' && route.responseHeaders?.includes('ETag');
  return {
    [route.status]: success(route),
    ...(conditional ? { 304: { description: 'Not modified.', headers: headers('ETag') } } : {}),
    ...Object.fromEntries([...refusals].map(([status, codes]) => [status, refusal(status, codes)])),
    default: { $ref: '#/components/responses/Rejected' },
  };
};

const EXAMPLE_REQUEST_ID = '7d9f3b0e-5c1a-4f7e-9c55-2f0f6a1f8a44';

const errors: Readonly<Record<OperationCode, unknown>> = {
  bad_request: httpErrors.badRequest('the request must have exactly one Host header'),
  malformed_json: httpErrors.malformedJson(),
  authentication_required: authenticationRequired(),
  invalid_credentials: domain.invalidCredentials(),
  invalid_token: domain.invalidToken(),
  field_forbidden: domain.fieldForbidden([
    { field: 'groups', code: 'field_forbidden', detail: 'may be written only by a Leader of the division' },
  ]),
  forbidden: domain.forbidden('only a Leader of the division may do this'),
  read_only_token: domain.readOnlyToken(),
  session_required: domain.sessionRequired(),
  not_found: domain.notFound(),
  email_taken: domain.taken('email'),
  idempotency_conflict: domain.idempotencyConflict(),
  last_leader: domain.lastLeader(),
  name_taken: domain.taken('name'),
  too_many_tokens: domain.tooManyTokens(domain.PERSONAL_TOKEN_RULES.maxPerUser),
  username_taken: domain.taken('username'),
  precondition_failed: domain.preconditionFailed(),
  body_too_large: httpErrors.bodyTooLarge(BODY_LIMIT),
  unsupported_media_type: httpErrors.unsupportedMediaType('the body must be application/json in UTF-8'),
  too_costly: domain.tooCostly(
    'this page would read more than 100,000 rows; order by one field other than groups and flags, or search for a less frequent word',
  ),
  validation_failed: domain.validationFailed([{ field: 'username', code: 'required', detail: 'is required' }]),
  rate_limited: domain.rateLimited(840),
  internal_error: undefined,
  unavailable: domain.unavailable(),
};

/** An example problem for each code, made by the same functions as in the service. */
export const problemExamples: Readonly<Record<string, { readonly value: Json }>> = Object.fromEntries(
  Object.entries(errors).map(([code, error]) => {
    const value = JSON.parse(httpErrors.problemOf(error, { requestId: EXAMPLE_REQUEST_ID }).body) as Json;
    return [code, { value }];
  }),
);
