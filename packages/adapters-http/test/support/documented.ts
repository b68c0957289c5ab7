import { makeRoutes } from '@chapter/adapters-http';
import type { UseCases } from '@chapter/domain';
import { expect } from 'chai';
import { Compile } from 'typebox/compile';
import { type DocumentOptions, makeDocument } from '../../src/openapi/document.ts';

interface Response {
  readonly headers?: Record<string, { readonly $ref: string }>;
  readonly content?: Record<string, Content>;
  /** The media types for the documentation page only. */
  readonly 'x-content'?: Record<string, Content>;
}

interface Content {
  readonly schema: object;
}

/** A parameter, or a reference to one. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description: string;
  readonly example?: string;
  readonly $ref?: string;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object; readonly example: unknown }> };
  readonly responses: Record<string, Response>;
}

/** The OpenAPI document as tests look into it. */
interface Document {
  readonly info: { readonly description: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly headers: Record<string, { readonly required?: boolean }>;
    readonly responses: Record<string, Response>;
    readonly parameters: Record<string, Parameter>;
    readonly examples: Record<string, { value: object }>;
  };
}

/** Returns the document of all routes. */
export const documentOf = (options: Partial<DocumentOptions> = {}): Document => {
  const all = { serverUrl: 'https://members.example.org', demo: null, ...options };
  return JSON.parse(JSON.stringify(makeDocument(makeRoutes({} as UseCases), all)));
};

/** The document without demo accounts. */
export const document = documentOf();

const schemas = Object.fromEntries(
  Object.entries(document.components.schemas).map(([name, schema]) => [`#/components/schemas/${name}`, schema]),
);

/** A validator of a schema of the document. */
export const compile = (schema: object) => Compile(schemas as never, schema as never);

const compiled = new Map<object, ReturnType<typeof compile>>();

const patterns = Object.keys(document.paths).map(
  (path) => [path, new RegExp(`^${path.replace('{id}', '[^/]+')}$`)] as const,
);

// The problems that occur before an operation is found.
const REJECTED = [400, 408, 431, 501];
const BEFORE = [...REJECTED, 404, 405];

/** Expects a response to match the document: status, headers, media type and body. */
export const requireDocumented = (
  method: string,
  target: string,
  answered: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: unknown;
    readonly text: string;
  },
): void => {
  const { status, headers, body, text } = answered;
  const [path] = target.split('?', 1);
  const pattern = patterns.find(([, matches]) => matches.test(path ?? ''))?.[0] ?? '';
  const operation = document.paths[pattern]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!operation) {
    const isPage = ['/api/docs', '/api/openapi/', '/password/'].some((prefix) => path?.startsWith(prefix));
    if (method !== 'OPTIONS' && !isPage) expect(BEFORE).to.include(status);
    return;
  }
  if (!operation.responses[status]) expect(REJECTED, `${operation.operationId} answered: ${text}`).to.include(status);
  const response = operation.responses[status] ?? document.components.responses['Rejected'] ?? {};
  const isCsv = headers['content-type']?.startsWith('text/csv') ?? false;
  const names = Object.keys(response.headers ?? {})
    .filter((name) => document.components.headers[name]?.required || (isCsv && name === 'Content-Disposition'))
    .map((name) => name.toLowerCase());
  expect(headers, operation.operationId).to.include.keys(...names);
  const contents = Object.entries({ ...response.content, ...response['x-content'] });
  if (method === 'HEAD' || contents.length === 0) {
    expect(text).to.equal('');
    return;
  }
  const sentType = headers['content-type'] ?? '';
  const [mediaType, content] = contents.find(([type]) => sentType.startsWith(`${type};`)) ?? contents[0] ?? [];
  if (!content) return;
  if (mediaType !== 'text/csv') expect(sentType).to.equal(mediaType);
  let validator = compiled.get(content.schema);
  if (!validator) compiled.set(content.schema, (validator = compile(content.schema)));
  if (!validator.Check(body))
    expect.fail(`${operation.operationId} ${status}: ${JSON.stringify(validator.Errors(body))} ${text}`);
};
