import { type Actor, type Authenticate, parseUuid } from '@chapter/domain';
import { bearerToken } from '../requests/bearer.ts';
import { clientNetwork } from '../requests/client-network.ts';
import { isKnown } from '../requests/etag.ts';
import { header } from '../requests/header.ts';
import { nothing } from '../requests/request-input.ts';
import type { Answer, RequestOrigin, Route } from '../routes/route.ts';
import type { Context } from './http-context.ts';

/** What serving a route needs beside the route. */
export interface ServePorts {
  readonly authenticate: Authenticate;
  readonly trustedProxies: number;
}

// Ids are UUIDs of version 7, and this is none: it is absent like any other, after the same look-ups and rules.
const ABSENT = '00000000-0000-0000-0000-000000000000';

const idIn = (ctx: Context): string => {
  const { id = '' } = ctx['params'] as { readonly id?: string };
  return parseUuid(id) ?? ABSENT;
};

const makeRequest = (ctx: Context, route: Route, origin: RequestOrigin, actor: Actor | null) => {
  const id = idIn(ctx);
  const request = {
    actor,
    id,
    origin,
    path: ctx.path,
    queryString: ctx.querystring,
    asked: undefined as unknown,
    ask: async () => {
      request.asked = await route.asks.read(ctx, `${route.operationId} ${id}`);
      return request.asked;
    },
  };
  return request;
};

const write = (ctx: Context, route: Route, { body, etag, location }: Answer<unknown>): void => {
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

/** Makes the one function that serves a route: token, then use case, which asks for the rest, then the answer. */
export const makeServe =
  ({ authenticate, trustedProxies }: ServePorts) =>
  (route: Route) =>
  async (ctx: Context): Promise<void> => {
    const { req, state } = ctx;
    state.route = route.path;
    const network = clientNetwork(req.socket.remoteAddress, header(req, 'x-forwarded-for'), trustedProxies);
    // Node also destroys the socket of a client that closes only its sending side.
    const origin: RequestOrigin = { requestId: state.requestId, network, isAbandoned: () => req.socket.destroyed };
    const actor = route.isPublic ? null : await authenticate(bearerToken(req.headers.authorization), origin);
    state.callerId = actor && actor.id;
    const answer = await route.handle(makeRequest(ctx, route, origin, actor));
    // Nobody asked, for there is nothing to ask for; but a parameter that is passed over would be a parameter believed.
    if (route.asks === nothing) await nothing.read(ctx, '');
    write(ctx, route, answer);
  };
