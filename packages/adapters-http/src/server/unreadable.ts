import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { badRequest, HttpError, unsupportedTransferCoding } from '../errors/http-error.ts';
import { type ProblemResponse, problemOf } from '../errors/problem.ts';
import { requestIdOf } from '../requests/headers.ts';
import { noteBodyRefusal } from '../requests/read-json.ts';
import { logRequestFields, type RequestTelemetry } from './request-telemetry.ts';

/**
 * The maximum bytes of a request head: request line and headers (contract §1). Node counts neither the method nor some
 * separators, so it accepts every head of this size, and some that are a few bytes longer.
 */
export const MAX_HEADER_BYTES = 32 * 1024;

const refusalOf = ({ code, message }: NodeJS.ErrnoException): HttpError => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpError('headers_too_large', `request line and headers may have at most ${MAX_HEADER_BYTES} bytes`);
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

/** Returns the response that is being written to a connection. Node stores it there. */
const responseOn = (connection: Duplex): ServerResponse | null => {
  const { _httpMessage: response } = connection as { readonly _httpMessage?: ServerResponse | null };
  return response ?? null;
};

/** Whether the client has sent nothing: load balancers open connections in advance. */
const isUnused = (connection: Duplex): boolean => (connection as Socket).bytesRead === 0;

/**
 * How long a refused connection stays open, in milliseconds, so that the client can read the response. Closing it with
 * unread input makes the kernel reset the connection, which discards the response.
 */
const LINGER_MS = 1000;

/** Makes the handlers of input that Node cannot parse as a request. They respond with a problem, and log and count it. */
export const makeParseErrorHandlers = (
  { log, logRequest = logRequestFields(log), metrics }: RequestTelemetry,
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

    /** Handles an error or a timeout of the parser. */
    onClientError: (error: NodeJS.ErrnoException, connection: Duplex): void => {
      // Further input after a refused request is discarded.
      if (refused.has(connection)) return;
      const response = responseOn(connection);
      if (error.code === 'ECONNRESET' || !connection.writable) connection.destroy();
      else if (isUnused(connection)) writeProblem(connection, refusalOf(error), requestIdOf(undefined));
      else if (!response) refuse(connection, refusalOf(error));
      // The invalid input came after a complete request, which still gets its response.
      else if (response.req.complete) response.shouldKeepAlive = false;
      else if (response.headersSent) connection.destroy();
      else {
        // Reading the body then fails, and the outermost layer logs this request under its id.
        const refusal = refusalOf(error);
        noteBodyRefusal(response.req, refusal);
        writeProblem(connection, refusal, String(response.getHeader('X-Request-Id') ?? requestIdOf(undefined)));
      }
    },
  };
};
