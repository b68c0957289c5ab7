import { type Actor, type Authenticate, parseUuid } from '@chapter/domain';
import { loggedError } from '../errors/error-log.ts';
import { badRequest } from '../errors/http-error.ts';
import { PROBLEM_TYPE, type ProblemResponse, problemOf } from '../errors/problem.ts';
import { bearerToken, clientNetwork, header, isNotModified, requestIdOf } from '../requests/headers.ts';
import type { BodySource } from '../requests/read-json.ts';
import type { RequestOrigin, Route, RouteResponse } from '../routes/route.ts';
import type { Endpoint, HttpContext, Next, PathParameters } from './http-context.ts';
import { type HttpLog, logRequestFields, type RequestTelemetry } from './request-telemetry.ts';
import type { CsvWriter } from './write-csv.ts';

/** The ports of the outermost layer. */
export interface OutermostLayerPorts extends RequestTelemetry {
  readonly hsts: boolean;
}

const YEAR_SECONDS = 31_536_000;

/**
 * Rejects requests that Node's parser accepts and that a proxy may interpret differently: repeated or missing headers, a
 * target that is not a path (contract §1).
 */
const rejectAmbiguousRequest = ({ req }: HttpContext): void => {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const name = req.rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
  }
  if (hosts > 1 || (hosts === 0 && req.httpVersion === '1.1'))
    throw badRequest('the request must have exactly one Host header');
  if (authorizations > 1) throw badRequest('the request must not have more than one Authorization header');
  const { url = '' } = req;
  const isPath = url.startsWith('/') && !url.includes('#');
  if (!isPath && !(req.method === 'OPTIONS' && url === '*')) throw badRequest('the request target must be a path');
};

/** Writes the problem of an error and returns it. */
const refuse = (ctx: HttpContext, log: HttpLog, error: unknown): ProblemResponse => {
  const { requestId, route } = ctx.state;
  const problem = problemOf(error, requestId);
  if (problem.code === 'internal_error') log.error({ requestId, route, error: loggedError(error) }, 'request failed');
  else if (problem.status === 503)
    log.warn({ requestId, route, error: loggedError(error) }, 'request could not be served');
  ctx.set(problem.headers as Record<string, string>);
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Content-Type', PROBLEM_TYPE);
  ctx.status = problem.status;
  ctx.body = problem.body;
  return problem;
};

/** Makes the outermost layer: request id, common response headers, problems, the log line and the metrics. */
export const makeOutermostLayer = ({ log, logRequest = logRequestFields(log), metrics, hsts }: OutermostLayerPorts) => {
  return async (ctx: HttpContext, next: Next): Promise<void> => {
    const began = performance.now();
    const { state, req } = ctx;
    const requestId = requestIdOf(req.headers['x-request-id']);
    state.requestId = requestId;
    state.caller = null;
    state.route = null;
    ctx.set('X-Request-Id', requestId);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    if (hsts) ctx.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}; includeSubDomains`);
    let problem: ProblemResponse | undefined;
    try {
      rejectAmbiguousRequest(ctx);
      await next();
    } catch (error) {
      problem = refuse(ctx, log, error);
    }
    const elapsedMs = performance.now() - began;
    const { caller, route } = state;
    const { method, path, status } = ctx;
    metrics?.observe({ method, route, status, seconds: elapsedMs / 1000 });
    const milliseconds = Math.round(elapsedMs * 10) / 10;
    logRequest({ requestId, caller, method, route, path, status, problem, milliseconds });
  };
};

/** The ports that all routes share. */
export interface ServeRoutePorts {
  readonly authenticate: Authenticate;
  readonly trustedProxies: number;
  readonly writeCsv: CsvWriter['write'];
}

// Stored ids are UUIDs of version 7, so this id is never found, but passes through the same queries and checks.
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
  const accept = header(ctx.req, 'accept');
  let read: { readonly value: unknown } | undefined;
  const readInput = (): unknown => (read ??= { value: input.read(source) }).value;
  return { actor, origin, id, path, queryString, accept, readInput };
};

const write = (ctx: HttpContext, route: Route, { body, etag, location }: RouteResponse<unknown>): void => {
  if (route.cache !== undefined) ctx.set('Cache-Control', route.cache);
  if (location !== undefined) ctx.set('Location', location);
  if (etag !== undefined) ctx.set('ETag', etag);
  if (etag !== undefined && route.method === 'GET' && isNotModified(ctx.req.headers['if-none-match'], etag)) {
    ctx.status = 304;
    return;
  }
  ctx.status = route.status;
  if (route.status === 204) return;
  ctx.set('Content-Type', 'application/json');
  ctx.body = JSON.stringify(body);
};

/** Makes the function that serves a route: it checks the token, calls the use case and writes the response. */
export const makeServeRoute =
  ({ authenticate, trustedProxies, writeCsv }: ServeRoutePorts) =>
  (route: Route): Endpoint['serve'] =>
  async (ctx, parameters, readBytes) => {
    const { req, state } = ctx;
    state.route = route.path;
    const network = clientNetwork(req.socket.remoteAddress, header(req, 'x-forwarded-for'), trustedProxies);
    // Node destroys the socket even if the client closes only its sending side.
    const isAbandoned = () => req.socket.destroyed;
    const userAgent = header(req, 'user-agent') ?? null;
    const origin: RequestOrigin = { requestId: state.requestId, network, isAbandoned, userAgent };
    const actor = route.isPublic ? null : await authenticate(bearerToken(req.headers.authorization), origin);
    state.caller = actor;
    const request = makeRequest(ctx, route, actor, origin, parameters, readBytes);
    // Set before the handler can fail, because problems also depend on `Accept`: some parameters are unknown for CSV only.
    if (route.csvExample !== undefined) ctx.vary('Accept');
    const response = await route.handle(request);
    // Rejects invalid input even if the use case reads none, so that query parameters are never ignored.
    await request.readInput();
    if ('open' in response) await writeCsv(ctx, response);
    else write(ctx, route, response);
  };
