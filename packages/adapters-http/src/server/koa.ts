// Only this file and docs/swagger-ui.ts depend on the HTTP framework.
import type { RequestListener } from 'node:http';
import cors from '@koa/cors';
import { Router } from '@koa/router';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import { bodyTooLarge } from '../errors/problem.ts';
import { BODY_LIMIT, JSON_TYPE, MERGE_PATCH_TYPE } from '../requests/read-json.ts';
import type { Endpoint, HttpContext, Next, RequestState } from './http-context.ts';

/** The layers of the API, from the outermost to the innermost. */
export interface Layers {
  readonly outermost: (ctx: HttpContext, next: Next) => Promise<void>;
  readonly corsOrigins: readonly string[];
  readonly endpoints: readonly Endpoint[];
  readonly noRoute: (ctx: HttpContext) => void;
  /** Called when a response cannot be written, for instance because the connection breaks. */
  readonly onWriteError: (error: unknown) => void;
}

type Context = Koa.ParameterizedContext<RequestState>;

// In text mode without an encoding, the parser returns the bytes. Its JSON mode replaces malformed UTF-8, treats an
// empty body as `{}` and an unknown media type as no body. The service rejects all three.
const parseBody = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: [JSON_TYPE, MERGE_PATCH_TYPE] },
  textLimit: String(BODY_LIMIT),
  // Null makes raw-body return a Buffer. The type declaration lacks this option.
  encoding: null,
} as bodyParser.Options);

const noop = async (): Promise<void> => {};

/** Returns the bytes of a body; undefined for another media type. @throws HttpError `body_too_large`; stream errors. */
export const readBytes = async (ctx: Context): Promise<Buffer | undefined> => {
  try {
    await parseBody(ctx, noop);
  } catch (error) {
    if ((error as { readonly type?: unknown }).type !== 'entity.too.large') throw error;
    // The parser has stopped reading. The rest is discarded.
    ctx.req.resume();
    throw bodyTooLarge(BODY_LIMIT);
  }
  const { body } = ctx.request;
  return Buffer.isBuffer(body) ? body : undefined;
};

/** The request headers that pages of other origins may send (contract §8). */
const ALLOWED_HEADERS =
  'Authorization,Content-Type,Idempotency-Key,If-Match,If-None-Match,traceparent,tracestate,X-Request-Id';

/** The response headers that pages of other origins may read (contract §8). */
const EXPOSED_HEADERS = ['Content-Disposition', 'ETag', 'Location', 'Retry-After', 'X-Request-Id'];

/** Allows exact origins only (contract §8). Credentials are not allowed, because tokens are sent in a header. */
const makeCors = (origins: readonly string[]) => {
  const allowed = new Set(origins);
  return cors({
    // The empty string tells the library that the origin is not allowed.
    origin: ({ request }) => (allowed.has(request.get('Origin')) ? request.get('Origin') : ''),
    allowMethods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    allowHeaders: ALLOWED_HEADERS,
    exposeHeaders: EXPOSED_HEADERS.join(', '),
    maxAge: 600,
    keepHeadersOnError: false,
  });
};

/** Makes a listener for `node:http` from the layers. */
export const makeListener = ({ outermost, corsOrigins, endpoints, noRoute, onWriteError }: Layers): RequestListener => {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  for (const { method, path, serve } of endpoints) {
    router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], (ctx) => serve(ctx, ctx.params, () => readBytes(ctx)));
  }
  const app = new Koa<RequestState>();
  app.on('error', onWriteError);
  app.use(outermost);
  app.use(makeCors(corsOrigins));
  app.use(router.routes());
  app.use(noRoute);
  const respond = app.callback();
  return (request, response) => {
    void respond(request, response);
  };
};
