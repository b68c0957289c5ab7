import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type Actor,
  type Authenticate,
  callerAndTarget,
  type FairQueue,
  isPersonalToken,
  type Pause,
  parseUuid,
  unavailable,
} from '@chapter/domain/api';
import { badRequest, type ProblemResponse, reportProblem, unsupportedTransferCoding } from '../errors/problem.ts';
import { bearerToken, clientNetwork, header, isNotModified, requestIdOf } from '../requests/headers.ts';
import type { BodySource } from '../requests/read-json.ts';
import type { RequestOrigin, Route, RouteResponse } from '../routes/route.ts';
import type { HttpContext, Next, PathParameters } from './http-context.ts';
import type { CountChange, ServeWithin } from './request-limits.ts';
import { logRequestFields, type RequestTelemetry, type TraceRequest } from './request-telemetry.ts';
import type { makeCsvWriter } from './write-csv.ts';

const YEAR_SECONDS = 31_536_000;

/**
 * Rejects requests that Node's parser accepts and that a proxy may interpret differently: repeated or missing headers,
 * an unknown transfer coding, a target that is not a path (contract §1).
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
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') throw unsupportedTransferCoding();
  const { url = '' } = req;
  const isPath = url.startsWith('/') && !url.includes('#');
  if (!isPath && !(req.method === 'OPTIONS' && url === '*')) throw badRequest('the request target must be a path');
};

const untraced: TraceRequest = async (_request, _state, serve) => void (await serve());

/** Makes the outermost layer: request id, common response headers, problems, the log line and the metrics. */
export const makeOutermostLayer = (
  { log, logRequest = logRequestFields(log), metrics, traceRequest = untraced }: RequestTelemetry,
  settings: { readonly hsts: boolean; readonly hstsIncludesSubdomains: boolean },
) => {
  const strictTransport = `max-age=${YEAR_SECONDS}${settings.hstsIncludesSubdomains ? '; includeSubDomains' : ''}`;
  const serve = async (ctx: HttpContext, next: Next): Promise<number> => {
    const began = performance.now();
    const { state, req } = ctx;
    const requestId = requestIdOf(req.headers['x-request-id']);
    state.requestId = requestId;
    state.caller = null;
    state.route = null;
    ctx.set('X-Request-Id', requestId);
    ctx.set('Cache-Control', 'no-store');
    ctx.set('X-Content-Type-Options', 'nosniff');
    if (settings.hsts) ctx.set('Strict-Transport-Security', strictTransport);
    let problem: ProblemResponse | undefined;
    try {
      rejectAmbiguousRequest(ctx);
      await next();
    } catch (error) {
      problem = reportProblem(error, state, log);
      ctx.set(problem.headers as Record<string, string>);
      ctx.status = problem.status;
      ctx.body = problem.body;
    }
    const elapsedMs = performance.now() - began;
    const { caller, route } = state;
    const { method, path, status } = ctx;
    metrics?.observe({ method, route, status, seconds: elapsedMs / 1000 });
    const milliseconds = Math.round(elapsedMs * 10) / 10;
    logRequest({ requestId, caller, method, route, path, status, problem, milliseconds });
    return status;
  };
  return (ctx: HttpContext, next: Next): Promise<void> => traceRequest(ctx.req, ctx.state, () => serve(ctx, next));
};

/** The ports that all routes share. */
export interface ServeRoutePorts {
  readonly authenticate: Authenticate;
  /** In front of the database, by reads and writes, then by caller. */
  readonly requests: Pick<FairQueue, 'run'>;
  readonly countChange: CountChange;
  readonly trustedProxies: number;
  readonly writeCsv: ReturnType<typeof makeCsvWriter>['write'];
}

// Stored ids are UUIDs of version 7, so this id is never found, but passes through the same queries and checks.
const ABSENT_ID = '00000000-0000-0000-0000-000000000000';

const makeRequest = (
  ctx: HttpContext,
  { operationId, input }: Route,
  actor: Promise<Actor | null>,
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

/**
 * Makes the function that serves a route: checks the token, waits for a place, calls the use case, writes the response.
 * Requests without a caller share the places of their operation and network, so that no other operation delays logins.
 */
export const makeServeRoute =
  ({ authenticate, requests, countChange, trustedProxies, writeCsv }: ServeRoutePorts) =>
  (route: Route): ServeWithin =>
  async (deadline, ctx, parameters, readBytes) => {
    const { req, state } = ctx;
    state.route = route.path;
    const network = clientNetwork(req.socket.remoteAddress, header(req, 'x-forwarded-for'), trustedProxies);
    // Node destroys the socket even if the client closes only its sending side.
    const isAbandoned = () => req.socket.destroyed || deadline.isPassed();
    const userAgent = header(req, 'user-agent') ?? null;
    const identify = (token: string) => {
      if (!isPersonalToken(token)) return authenticate(token);
      // It is looked up before its caller is known, in the share of the network.
      const lookUp = () => deadline.limit(authenticate(token));
      return requests.run(['reads', `personal access tokens ${network}`], lookUp, { isAbandoned });
    };
    // Set before all refusals, because some of them depend on `Accept`: some parameters are unknown for CSV only.
    if (route.csvExample !== undefined) ctx.vary('Accept');
    const caller = route.isPublic ? null : await identify(bearerToken(req.headers.authorization));
    state.caller = caller && { id: caller.userId, username: null };
    const isRead = route.method === 'GET';
    const serve = async (pause: Pause): Promise<void> => {
      const origin: RequestOrigin = { requestId: state.requestId, network, isAbandoned, pause, userAgent };
      const readActor = async (): Promise<Actor | null> => {
        const actor = caller && (await caller.readRights(origin, route.operationId));
        state.caller = actor;
        if (actor && !isRead) countChange(actor.id);
        return actor;
      };
      // Slow clients hold no place.
      const request = makeRequest(ctx, route, readActor(), origin, parameters, () =>
        pause(() => deadline.pauseWhile(readBytes)),
      );
      // Even if a handler ignored the actor, its response or error would not be sent before the actor is known.
      const handled = route.handle(request);
      const [actor, response] = caller ? await callerAndTarget(request.actor, handled) : [null, await handled];
      // Rejects invalid input even if the use case reads none, so that query parameters are never ignored.
      await request.readInput();
      // 503 has been sent already.
      if (deadline.isPassed()) throw unavailable();
      if (!('open' in response)) return write(ctx, route, response);
      // An export has limits of its own.
      deadline.end();
      if (actor && ctx.method !== 'HEAD') countChange(actor.id);
      return writeCsv(ctx, response);
    };
    const who = caller?.userId ?? `${route.operationId} ${network}`;
    // After the deadline, the request has no place any more.
    const serveInTime = (pause: Pause): Promise<void> => deadline.limit(serve(pause));
    await requests.run([isRead ? 'reads' : 'writes', who], serveInTime, { isAbandoned });
  };

/** Requests of one connection that wait for the response to an earlier one. With more, the connection is not read. */
const MAX_PIPELINED = 16;

/** Bytes that are parsed between two checks of the limit. The shortest request has 18, so 114 more can wait. */
const PART_BYTES = 2048;

/**
 * Returns the responses of a connection that are unfinished, or whose requests are, in the order of their requests. All but
 * the first one wait.
 */
export type ResponsesOn = (connection: Duplex) => readonly ServerResponse[];

/**
 * Makes the listeners of a server that serve the requests of each connection one after the other, each in its own turn
 * of the event loop (contract §1). By default Node.js parses all bytes that it has received and starts all requests in
 * them, while other connections wait.
 */
export const makePipeliningListeners = (listener: RequestListener) => {
  const unfinished = new WeakMap<Duplex, ServerResponse[]>();
  const responsesOn: ResponsesOn = (connection) => unfinished.get(connection) ?? [];

  const onConnection = (socket: Socket): void => {
    const push = socket.push.bind(socket);
    socket.push = (bytes: Buffer | null) => {
      if (bytes === null || bytes.length <= PART_BYTES) return push(bytes);
      let acceptsMore = true;
      for (let at = 0; at < bytes.length; at += PART_BYTES) {
        acceptsMore = push(bytes.subarray(at, at + PART_BYTES));
      }
      return acceptsMore;
    };
    // Called after Node's listener has parsed a part. With this listener, Node also reads the socket through `push`.
    socket.on('data', () => {
      if (responsesOn(socket).length > MAX_PIPELINED) socket.pause();
    });
  };

  const onRequest: RequestListener = (request, response) => {
    const { socket } = request;
    const responses = unfinished.get(socket) ?? [];
    unfinished.set(socket, responses);
    responses.push(response);
    const end = (): void => {
      responses.shift();
      if (responses.length === MAX_PIPELINED) socket.resume();
    };
    // The rest of a body that no response has waited for is discarded first.
    response.once('close', () => (request.complete ? end() : request.once('close', end)));
    // Node has assigned the socket to the first response, and assigns it to the next when that has been sent.
    if (response.socket) listener(request, response);
    else response.once('socket', () => setImmediate(listener, request, response));
  };

  return { onConnection, onRequest, responsesOn };
};
