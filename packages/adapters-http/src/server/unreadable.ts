import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { badRequest, HttpError } from '../errors/http-error.ts';
import type { Problem } from '../errors/problem.ts';
import { noteBodyRefusal } from '../requests/body-refusal.ts';
import { requestIdOf } from '../requests/headers.ts';
import { formatProblem } from './raw-problem.ts';
import { logRequestFields } from './request-log.ts';
import type { RequestRecord } from './request-record.ts';

/**
 * Bytes of a request head (request line and headers) at most. Node counts neither the method nor some separators, so a
 * head may be some bytes longer, but none of this size is refused. Contract, section 1.
 */
export const MAX_HEADER_BYTES = 32 * 1024;

const refusalOf = ({ code }: NodeJS.ErrnoException): HttpError => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new HttpError('headers_too_large', `request line and headers may have at most ${MAX_HEADER_BYTES} bytes`);
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpError('request_timeout', 'the request took too long to arrive');
  }
  // Bytes that are not HTTP at all fail at the method too.
  if (code === 'HPE_INVALID_METHOD') return badRequest('this is not an HTTP request with a method that is known');
  return badRequest('this is not an HTTP request');
};

/** The answer that is under way on a connection. Node keeps it there. */
const answerOn = (connection: Duplex): ServerResponse | null => {
  const { _httpMessage: answer } = connection as { readonly _httpMessage?: ServerResponse | null };
  return answer ?? null;
};

/** Whether nothing has come: load balancers open connections ahead of time. */
const isUnused = (connection: Duplex): boolean => (connection as Socket).bytesRead === 0;

/**
 * Milliseconds that a refused connection stays open for the client to read the response. Closing it while input is unread
 * makes the kernel reset it, which discards the response; without an end, the client would decide how long it stays.
 */
const LINGER_MS = 1000;

/** Makes the answers to what Node's HTTP server cannot hand on as a request; they are logged and counted. */
export const makeUnreadable = (
  { log, logRequest = logRequestFields(log), metrics }: RequestRecord,
  lingerMs = LINGER_MS,
) => {
  const refused = new WeakSet<Duplex>();

  /** Writes a problem, ends the connection, and destroys it a moment later. Returns it. */
  const writeProblem = (connection: Duplex, refusal: HttpError, requestId: string): Problem => {
    const { problem, response } = formatProblem(refusal, requestId);
    refused.add(connection);
    const linger = setTimeout(() => connection.destroy(), lingerMs).unref();
    connection.once('close', () => clearTimeout(linger));
    connection.end(response);
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
    /** Refuses CONNECT. Node has let go of the connection: it neither handles its errors nor closes it. */
    onConnect: (_: unknown, connection: Duplex): void => {
      connection.on('error', () => {});
      // Reads and discards what follows.
      connection.resume();
      refuse(connection, badRequest('this is no proxy'));
    },

    /** The parser has failed, or lost patience. */
    onClientError: (error: NodeJS.ErrnoException, connection: Duplex): void => {
      // What follows a refused request is discarded.
      if (refused.has(connection)) return;
      const answer = answerOn(connection);
      if (error.code === 'ECONNRESET' || !connection.writable) connection.destroy();
      else if (isUnused(connection)) writeProblem(connection, refusalOf(error), requestIdOf(undefined));
      else if (!answer) refuse(connection, refusalOf(error));
      // What came behind a whole request takes nothing from its answer.
      else if (answer.req.complete) answer.shouldKeepAlive = false;
      else if (answer.headersSent) connection.destroy();
      else {
        // The reader of the body fails, so that the edge logs this request under its id.
        const refusal = refusalOf(error);
        noteBodyRefusal(answer.req, refusal);
        writeProblem(connection, refusal, String(answer.getHeader('X-Request-Id') ?? requestIdOf(undefined)));
      }
    },
  };
};
