import type { Route } from '../routes/route.ts';
import { type Json, type JsonObject, namedSchemas, withReferences, withReferencesInside } from './components.ts';
import { parametersOf, sharedParameters } from './parameters.ts';
import { problemExamples } from './problem-examples.ts';
import { responsesOf, sharedHeaders } from './responses.ts';

const DESCRIPTION = `Manages the members and divisions of one organisation chapter.

Log in with \`POST /api/auth/login/\` and send the access token as \`Authorization: Bearer …\`. Rights are read from the
database at every request. What you may not read is answered as if it did not exist.

Every refusal is a problem (RFC 9457) with a stable \`code\`. Paths match exactly, trailing slash included. Names are
\`snake_case\`, dates ISO 8601, absent values \`null\`.`;

const TAGS: Readonly<Record<Route['tag'], string>> = {
  Authentication: 'Logging in and out, and what other services need to check tokens.',
  Users: 'The members of your division.',
  Divisions: 'The divisions of the chapter.',
  Service: 'The service itself.',
};

const bodyOf = ({ input: { body } }: Route): JsonObject | undefined =>
  body && {
    required: !body.isOptional,
    content: Object.fromEntries(
      body.mediaTypes.map((mediaType) => [
        mediaType,
        { schema: withReferences(body.schema), example: body.example as Json },
      ]),
    ),
  };

const operationOf = (route: Route): JsonObject => ({
  operationId: route.operationId,
  tags: [route.tag],
  summary: route.summary,
  description: route.description,
  ...(route.isPublic ? { security: [] } : {}),
  parameters: parametersOf(route),
  requestBody: bodyOf(route),
  responses: responsesOf(route),
});

const accessToken: JsonObject = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'The `access_token` of a login.',
};

/** The OpenAPI 3.1 document of the routes, made of the schemas that check their requests. Contract, section 8. */
export const makeDocument = (routes: readonly Route[]): JsonObject => ({
  openapi: '3.1.0',
  info: {
    title: 'Chapter Membership Service',
    // That of the API, and not of the program that serves it: it changes where callers have to.
    version: '1.0.0',
    description: DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'This host.' }],
  security: [{ accessToken: [] }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  paths: Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => path)].map(([path, sharing]) => [
      path,
      Object.fromEntries(sharing.map((route) => [route.method.toLowerCase(), operationOf(route)])),
    ]),
  ),
  components: {
    securitySchemes: { accessToken },
    schemas: Object.fromEntries(
      Object.entries(namedSchemas).map(([name, schema]) => [name, withReferencesInside(schema)]),
    ),
    parameters: sharedParameters,
    headers: sharedHeaders,
    examples: problemExamples,
  },
});
