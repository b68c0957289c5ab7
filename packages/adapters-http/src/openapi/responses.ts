import { STATUS_CODES } from 'node:http';
import { PROBLEM_TYPE } from '../errors/problem.ts';
import { type OperationCode, PROBLEM_STATUS } from '../errors/problem-codes.ts';
import { CSV_TYPE } from '../requests/accept.ts';
import { JSON_TYPE } from '../requests/read-json.ts';
import type { Route } from '../routes/route.ts';
import { Problem } from '../schemas/problem.ts';
import { type Json, type JsonObject, withReferences } from './components.ts';

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

/** Returns every problem code of an operation, including those that all operations with a body or a token have. */
const codesOf = ({ isPublic, input, problems }: Route): readonly OperationCode[] => [
  ...(input.body ? (['malformed_json'] as const) : []),
  ...(isPublic ? [] : (['authentication_required', 'invalid_token'] as const)),
  ...problems,
  ...(input.body ? (['body_too_large', 'unsupported_media_type'] as const) : []),
  'internal_error',
  'unavailable',
];

const refusal = (status: number, codes: readonly OperationCode[]): JsonObject => ({
  description: `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
  headers: headersOfRefusal(status),
  content: {
    [PROBLEM_TYPE]: {
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

const contentOf = ({ ok, example, csvExample }: Route): JsonObject => ({
  ...(ok ? { [JSON_TYPE]: { schema: withReferences(ok), example: example as Json } } : {}),
  ...(csvExample === undefined ? {} : { [CSV_TYPE]: { schema: text, example: csvExample } }),
});

const success = (route: Route): JsonObject => ({
  description: SUCCESS_DESCRIPTIONS[route.status],
  headers: headers(
    ...(route.responseHeaders ?? []),
    ...(route.csvExample === undefined ? [] : ['Content-Disposition']),
  ),
  ...(route.ok ? { content: contentOf(route) } : {}),
});

/** Returns the responses of an operation, by status. */
export const responsesOf = (route: Route): JsonObject => {
  const refusals = Map.groupBy(codesOf(route), (code) => PROBLEM_STATUS[code]);
  const conditional = route.method === 'GET' && route.responseHeaders?.includes('ETag');
  return {
    [route.status]: success(route),
    ...(conditional ? { 304: { description: 'Not modified.', headers: headers('ETag') } } : {}),
    ...Object.fromEntries([...refusals].map(([status, codes]) => [status, refusal(status, codes)])),
  };
};
