import { createServer, type RequestListener, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { makeProblem, PROBLEM_TYPE } from './errors/problem.ts';
import type { HttpErrorCode } from './errors/problem-codes.ts';
import { requestIdOf } from './requests/request-id.ts';

// A list may be asked for with a hundred values in one parameter, and a cursor carries the sort values of a row.
const MAX_HEADER_BYTES = 256 * 1024;

const REFUSALS: Readonly<Record<string, readonly [HttpErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', `request line and headers may have at most ${MAX_HEADER_BYTES} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'the request took too long to arrive'],
};

/** Whether an answer is on its way already: nothing may be written into the middle of it. Node keeps it there. */
const isAnswering = (connection: Duplex): boolean => {
  const { _httpMessage: answer } = connection as { readonly _httpMessage?: ServerResponse | null };
  return answer?.headersSent ?? false;
};

const writeProblem = (connection: Duplex, code: HttpErrorCode, detail: string): void => {
  const requestId = requestIdOf(undefined);
  const { status, body } = makeProblem(code, detail, requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  connection.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};

/** Answers what Node's parser could not make a request of, by a problem like any other, and closes. */
const refuse = (error: NodeJS.ErrnoException, connection: Duplex): void => {
  if (error.code === 'ECONNRESET' || !connection.writable || isAnswering(connection)) {
    connection.destroy();
    return;
  }
  const [code, detail] = REFUSALS[error.code ?? ''] ?? ['bad_request', 'this is not an HTTP request'];
  writeProblem(connection, code, detail);
};

/** A server with the limits that the API wants. It does not listen yet. */
export const makeHttpServer = (listener: RequestListener): Server =>
  createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      // The API refuses a missing or second Host header itself, by a problem.
      requireHostHeader: false,
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      // Longer than what load balancers keep idle connections for (60 s), so that they close first.
      keepAliveTimeout: 65_000,
    },
    listener,
  )
    .on('clientError', refuse)
    // An expectation that nobody knows is passed over; the request is answered as without it.
    .on('checkExpectation', listener)
    .on('connect', (_, connection) => writeProblem(connection, 'bad_request', 'this is no proxy'));
