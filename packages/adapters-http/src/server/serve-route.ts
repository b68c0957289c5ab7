import { type Actor, type Authenticate, parseUuid } from '@chapter/domain';
import { clientNetwork } from '../requests/client-network.ts';
import { isKnown } from '../requests/etag.ts';
import { bearerToken, header } from '../requests/headers.ts';
import type { BodySource } from '../requests/read-json.ts';
import type { RequestOrigin, Route, RouteResponse } from '../routes/route.ts';
import type { Endpoint, HttpContext, PathParameters } from './http-context.ts';

/** What serving a route needs beside the route. */
export interface ServeRoutePorts {
  readonly authenticate: Authenticate;
  readonly trustedProxies: number;
}

// Stored ids are UUIDs of version 7, so this one is never found, after the same queries and rules as any other.
const ABSENT_ID = '00000000-0000-0000-0000-000000000000';

const makeRequest = (
  ctx: HttpContext,
  { operationId, input }: Route,
  actor: Actor | null,
  origin: RequestOrigin,
  { id: sentId }: PathParameters,
  readBytes: BodySource['readBytes'],
) => {
  const { path, querystring: queryString } = ctx;
  const id = sentId === undefined ? undefined : (parseUuid(sentId) ?? ABSENT_ID);
  // Cursors contain a checksum of the key, so it must stay the same from release to release.
  const listKey = `${operationId} ${id ?? ABSENT_ID}`;
  const source = { message: ctx.req, queryString, listKey, readBytes };
  let read: { readonly value: unknown } | undefined;
  const readInput = (): unknown => (read ??= { value: input.read(source) }).value;
  return { actor, origin, id, path, queryString, readInput };
};

const write = (ctx: HttpContext, route: Route, { body, etag, location }: RouteResponse<unknown>): void => {
  if (route.cache !== undefined) ctx.set('Cache-Control', route.cache);
  if (location !== undefined) ctx.set('Location', location);
  if (etag !== undefined) ctx.set('ETag', etag);
  if (etag !== undefined && route.method === 'GET' && isKnown(ctx.req.headers['if-none-match'], etag)) {
    ctx.status = 304;
    return;
  }
  ctx.status = route.status;
  if (route.status === 204) return;
  ctx.set('Content-Type', 'application/json');
  ctx.body = JSON.stringify(body);
};

/** Makes the function that serves a route: token, then use case, which reads the input, then the response. */
export const makeServeRoute =
  ({ authenticate, trustedProxies }: ServeRoutePorts) =>
  (route: Route): Endpoint['serve'] =>
  async (ctx, parameters, readBytes) => {
    const { req, state } = ctx;
    state.route = route.path;
    const network = clientNetwork(req.socket.remoteAddress, header(req, 'x-forwarded-for'), trustedProxies);
    // Node also destroys the socket of a client that closes only its sending side.
    const isAbandoned = () => req.socket.destroyed;
    const userAgent = header(req, 'user-agent') ?? null;
    const origin: RequestOrigin = { requestId: state.requestId, network, isAbandoned, userAgent };
    const actor = route.isPublic ? null : await authenticate(bearerToken(req.headers.authorization), origin);
    state.caller = actor;
    const request = makeRequest(ctx, route, actor, origin, parameters, readBytes);
    const response = await route.handle(request);
    // Refuses bad input even if the use case takes none: a query parameter must not be ignored.
    await request.readInput();
    write(ctx, route, response);
  };
