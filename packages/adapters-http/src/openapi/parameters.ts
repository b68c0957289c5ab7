import { IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_PATTERN } from '../requests/headers.ts';
import type { Route } from '../routes/route.ts';
import { type Json, type JsonObject, withReferences } from './components.ts';

const header = (name: string, description: string, schema: JsonObject): JsonObject => ({
  name,
  in: 'header',
  description,
  schema,
});

const ENTITY_TAGS: JsonObject = { type: 'string' };

/** The parameters that several operations share, by the name of the component. */
export const sharedParameters: Readonly<Record<string, JsonObject>> = {
  Id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'A UUID in any case.',
    schema: { type: 'string', format: 'uuid' },
  },
  XRequestId: header('X-Request-Id', 'An id to find the request by; it is answered, logged and audited.', {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,128}$',
  }),
  IfMatch: header('If-Match', 'Do it only if the entity tag is still one of these. RFC 9110, 13.1.1.', ENTITY_TAGS),
  IfNoneMatch: header('If-None-Match', 'Answer 304 if the entity tag is one of these. RFC 9110, 13.1.2.', ENTITY_TAGS),
  IdempotencyKey: header(
    IDEMPOTENCY_KEY,
    'Within 24 hours the same key, caller and body answers the first answer again and creates nothing.',
    { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN },
  ),
};

const shared = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name.replaceAll('-', '')}` });

const listParameters = ({ input }: Route): readonly JsonObject[] =>
  [...(input.list?.parameters.values() ?? [])].map(({ name, description, schema, separated }) => ({
    name,
    in: 'query',
    description,
    style: separated ? 'form' : undefined,
    explode: separated ? false : undefined,
    schema: withReferences(schema),
  }));

/** The parameters of an operation: path, headers, query. */
export const parametersOf = (route: Route): Json => [
  ...(route.path.includes('{id}') ? [shared('Id')] : []),
  shared('X-Request-Id'),
  ...(route.input.headers ?? []).map(shared),
  ...(route.method === 'GET' && route.responseHeaders?.includes('ETag') ? [shared('If-None-Match')] : []),
  ...listParameters(route),
];
