import { createServer, type RequestListener, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  badRequest,
  HttpError,
  type ProblemResponse,
  problemOf,
  unsupportedTransferCoding,
} from '../errors/problem.ts';
import { requestIdOf } from '../requests/headers.ts';
import { noteBodyRefusal } from '../requests/read-json.ts';
import { logRequestFields, type RequestTelemetry } from './request-telemetry.ts';
import { makePipeliningListeners, type ResponsesOn } from './serve.ts';

/**
 * The maximum bytes of a request head: request line and headers (contract §1). Node counts neither the method nor some
 * separators, so it accepts every head of this size, and some that are a few bytes longer.
 */
export const MAX_HEADER_BYTES = 32 * 1024;

/** The maximum number of headers (contract §1), Node's default. For more, the error is that of too large a head. */
const MAX_HEADERS = 1000;

const refusalOf = ({ code, message }: NodeJS.ErrnoException): HttpError => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const limits = `${MAX_HEADER_BYTES} bytes, and ${MAX_HEADERS} headers`;
    return new HttpError('headers_too_large', `request line and headers may have at most ${limits}`);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpError('request_timeout', 'the request took too long to arrive');
  }
  // Together with Content-Length, the header has the same code, and may be an attempt to smuggle a request.
  if (code === 'HPE_INVALID_TRANSFER_ENCODING' && !message.includes('Content-Length'))
    return unsupportedTransferCoding();
  // Input that is not HTTP also fails at the method.
  if (code === 'HPE_INVALID_METHOD') return badRequest('the request is not valid HTTP, or its method is unknown');
  return badRequest('the request is not valid HTTP');
};

/** Returns the text of a whole response with a problem, which is the last of its connection. */
const responseText = ({ status, headers, body }: ProblemResponse, requestId: string): string => {
  const all = {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n');
};

/** Whether the client has sent nothing: load balancers open connections in advance. */
const isUnused = (connection: Duplex): boolean => (connection as Socket).bytesRead === 0;

/**
 * How long a refused connection stays open, in milliseconds, so that the client can read the response. Closing it with
 * unread input makes the kernel reset the connection, which discards the response.
 */
const LINGER_MS = 1000;

/** Makes the handlers of input that Node cannot parse as a request, which respond with a problem, log and count it. */
const makeParseErrorHandlers = (
  { log, logRequest = logRequestFields(log), metrics }: RequestTelemetry,
  responsesOn: ResponsesOn,
  lingerMs = LINGER_MS,
) => {
  const refused = new WeakSet<Duplex>();

  /** Writes a problem, ends the connection, and destroys it after `lingerMs`. Returns the problem. */
  const writeProblem = (connection: Duplex, refusal: HttpError, requestId: string): ProblemResponse => {
    const problem = problemOf(refusal, { requestId });
    refused.add(connection);
    const linger = setTimeout(() => connection.destroy(), lingerMs).unref();
    connection.once('close', () => clearTimeout(linger));
    connection.end(responseText(problem, requestId));
    return problem;
  };

  const refuse = (connection: Duplex, refusal: HttpError): void => {
    const requestId = requestIdOf(undefined);
    const problem = writeProblem(connection, refusal, requestId);
    const { status } = problem;
    metrics?.unreadable(status);
    logRequest({ requestId, caller: null, method: null, route: null, path: null, status, problem, milliseconds: null });
  };

  return {
    /** Refuses CONNECT. Node has detached the connection: it neither handles its errors nor closes it. */
    onConnect: (_: unknown, connection: Duplex): void => {
      connection.on('error', () => {});
      // Discards further input.
      connection.resume();
      refuse(connection, badRequest('CONNECT is not supported; this server is not a proxy'));
    },

    onClientError: (error: NodeJS.ErrnoException, connection: Duplex): void => {
      // Further input after a refused request is discarded.
      if (refused.has(connection)) return;
      const responses = responsesOn(connection);
      const [response, last] = [responses[0], responses.at(-1)];
      if (error.code === 'ECONNRESET' || !connection.writable) connection.destroy();
      else if (isUnused(connection)) writeProblem(connection, refusalOf(error), requestIdOf(undefined));
      else if (!response || !last) refuse(connection, refusalOf(error));
      // The invalid input came after complete requests, which still get their responses.
      else if (response.req.complete) {
        last.shouldKeepAlive = false;
        if (!last.req.complete) noteBodyRefusal(last.req, refusalOf(error));
      } else if (response.headersSent) connection.destroy();
      else {
        // Reading the body then fails, and the outermost layer logs this request under its id.
        const refusal = refusalOf(error);
        noteBodyRefusal(response.req, refusal);
        writeProblem(connection, refusal, String(response.getHeader('X-Request-Id') ?? requestIdOf(undefined)));
      }
    },
  };
};

const TIME_LIMITS = {
  /** For the request line and headers. On a new connection, the time starts when it opens. */
  headersMs: 10_000,
  /** For a whole request, including its body. */
  requestMs: 30_000,
  /**
   * Without a byte in either direction during a request or response, such as when the client stops reading. Longer than
   * `requestMs` and its check, so that a client whose body stops gets the 408 before its connection is closed.
   */
  idleMs: 35_000,
  /** Between a response and the next request. Load balancers keep idle connections for 60 s, so they close first. */
  keepAliveMs: 65_000,
  /** How often connections are checked against `headersMs` and `requestMs`. */
  checkIntervalMs: 1000,
};

type TimeLimits = Readonly<typeof TIME_LIMITS>;

/** The limits for all clients of one server. */
export interface ServerLimits {
  readonly times: TimeLimits;
  /** Open connections. The server closes further ones at once and emits `drop`. */
  readonly maxConnections: number;
}

/** Makes an HTTP server that ends connections beyond these limits. It does not listen yet. */
export const makeLimitedServer = (
  listener: RequestListener,
  { times, maxConnections }: ServerLimits,
  options: ServerOptions = {},
): Server => {
  const server = createServer(
    {
      ...options,
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      connectionsCheckingInterval: times.checkIntervalMs,
      keepAliveTimeout: times.keepAliveMs,
    },
    listener,
  );
  // Without `dropMaxConnection`, a full worker would hand a connection back to the primary process, which would offer
  // it again and again while all workers are full.
  const limits = { maxConnections, maxHeadersCount: MAX_HEADERS, timeout: times.idleMs };
  return Object.assign(server, { ...limits, dropMaxConnection: true });
};

/** The minimum time between two log lines, so that a flood of connections does not flood the log. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Makes the listener that counts connections dropped at the limit. It logs the first at once. Afterwards it logs once a
 * minute how many were dropped, until a minute passes without one.
 */
export const makeDropListener = ({ log, metrics }: RequestTelemetry, maxConnections: number): (() => void) => {
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (dropped === 0) return;
    log.warn({ maxConnections, dropped }, 'connections dropped: MAX_CONNECTIONS reached');
    dropped = 0;
    timer = setTimeout(write, LOG_INTERVAL_MS).unref();
  };
  return () => {
    metrics?.dropped();
    dropped += 1;
    if (timer === undefined) write();
  };
};

/** Options of a server of the API. */
export interface HttpServerOptions {
  readonly times?: Partial<TimeLimits>;
  /** How long a refused connection stays open so that the client can read the response. */
  readonly lingerMs?: number;
  readonly maxConnections?: number;
}

/** Makes a server with the limits of the API. It does not listen yet. */
export const makeHttpServer = (
  listener: RequestListener,
  telemetry: RequestTelemetry,
  { times, lingerMs, maxConnections = Number.POSITIVE_INFINITY }: HttpServerOptions = {},
): Server => {
  const { onConnection, onRequest, responsesOn } = makePipeliningListeners(listener);
  const { onClientError, onConnect } = makeParseErrorHandlers(telemetry, responsesOn, lingerMs);
  const limits = { times: { ...TIME_LIMITS, ...times }, maxConnections };
  return (
    makeLimitedServer(onRequest, limits, {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The API rejects a missing or second Host header itself, because Node would not send a problem.
      requireHostHeader: false,
    })
      .on('clientError', onClientError)
      .on('connection', onConnection)
      // Ignores an unknown `Expect` header. By default, Node responds with 417.
      .on('checkExpectation', onRequest)
      .on('connect', onConnect)
      .on('drop', makeDropListener(telemetry, maxConnections))
  );
};
