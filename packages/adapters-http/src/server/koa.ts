// The only file of this folder that knows the HTTP framework.
import type { RequestListener } from 'node:http';
import cors from '@koa/cors';
import { Router } from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { bodyTooLarge } from '../errors/http-error.ts';
import { BODY_LIMIT, JSON_TYPE, MERGE_PATCH_TYPE } from '../requests/read-json.ts';
import type { Endpoint, HttpContext, Next, RequestState } from './http-context.ts';

/** The layers that every request passes, from the outermost to the innermost. */
export interface Layers {
  readonly edge: (ctx: HttpContext, next: Next) => Promise<void>;
  /** Exact origins whose pages may read responses. */
  readonly corsOrigins: readonly string[];
  readonly endpoints: readonly Endpoint[];
  /** Serves the requests that match no endpoint. */
  readonly noRoute: (ctx: HttpContext) => void;
  /** Called when a response cannot be written, for instance because the connection breaks. */
  readonly onWriteError: (error: unknown) => void;
}

type Context = Koa.ParameterizedContext<RequestState>;

// As text without an encoding the parser returns the bytes. Its own JSON mode replaces malformed UTF-8, takes an empty
// body for `{}` and an unknown media type for no body; the service refuses all three.
const parseBody = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: [JSON_TYPE, MERGE_PATCH_TYPE] },
  textLimit: String(BODY_LIMIT),
  // Null makes raw-body return a Buffer; the declared type does not know the option.
  encoding: null,
} as bodyParser.Options);

const done = async (): Promise<void> => {};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'entity.too.large';

/** Reads the bytes of a body; undefined for another media type. @throws HttpError `body_too_large`, and errors of the stream. */
export const readBytes = async (ctx: Context): Promise<Buffer | undefined> => {
  try {
    await parseBody(ctx, done);
  } catch (error) {
    throw isTooLarge(error) ? bodyTooLarge(BODY_LIMIT) : error;
  }
  const { body } = ctx.request;
  return Buffer.isBuffer(body) ? body : undefined;
};

const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'X-Request-Id',
];

/** Contract, section 11. */
const EXPOSED_HEADERS = ['ETag', 'Location', 'Retry-After', 'X-Request-Id'];

/** Exact origins: no wildcard, no `null`, no suffixes; and no credentials, for tokens are sent by header. Contract, section 8. */
const makeCors = (origins: readonly string[]) => {
  const allowed = new Set(origins);
  return cors({
    // The library takes the empty string for an origin that is not allowed.
    origin: ({ request }) => (allowed.has(request.get('Origin')) ? request.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED_HEADERS.join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
};

/** Makes a listener for `node:http` of the layers. */
export const makeListener = ({ edge, corsOrigins, endpoints, noRoute, onWriteError }: Layers): RequestListener => {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const { method, path, serve } of endpoints) {
    router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], (ctx) => serve(ctx, ctx.params, () => readBytes(ctx)));
  }
  const app = new Koa<RequestState>();
  app.on('error', onWriteError);
  app.use(edge);
  app.use(makeCors(corsOrigins));
  app.use(router.routes());
  app.use(noRoute);
  const respond = app.callback();
  return (request, response) => {
    void respond(request, response);
  };
};
