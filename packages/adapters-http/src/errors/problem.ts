import { STATUS_CODES } from 'node:http';
import { type FieldFault, isDomainError } from '@chapter/domain';
import type { Logger } from 'pino';
import { faultName, MAX_FAULTS } from './faults.ts';
import { type HttpErrorCode, PROBLEM_STATUS, type ProblemCode } from './problem-codes.ts';

/** An error of the HTTP layer. Use cases throw DomainError. */
export class HttpError extends Error {
  readonly code: HttpErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: HttpErrorCode, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.name = 'HttpError';
    this.code = code;
    this.headers = headers;
  }
}

/** The body is not JSON (RFC 8259) or is nested too deeply. */
export const malformedJson = (detail = 'the body is not well-formed JSON in UTF-8'): HttpError =>
  new HttpError('malformed_json', detail);

/**
 * The body has more than `limit` bytes. The connection stays open, because many clients send all before they read this.
 * RFC 9110, section 15.5.14.
 */
export const bodyTooLarge = (limit: number): HttpError =>
  new HttpError('body_too_large', `the body may have at most ${limit} bytes`);

/** The body has more than `limit` chunks. */
export const tooManyChunks = (limit: number): HttpError =>
  new HttpError('body_too_large', `the body may have at most ${limit} chunks`, { Connection: 'close' });

/** The media type, charset or content coding of the body is not supported. RFC 9110, section 15.5.16. */
export const unsupportedMediaType = (detail: string, headers: Readonly<Record<string, string>> = {}): HttpError =>
  new HttpError('unsupported_media_type', detail, headers);

/** The request is ambiguous or cannot be parsed (contract §1). */
export const badRequest = (detail: string): HttpError => new HttpError('bad_request', detail, { Connection: 'close' });

/** The body has a transfer coding other than `chunked` alone. RFC 9112, section 6.1. */
export const unsupportedTransferCoding = (): HttpError =>
  new HttpError('not_implemented', 'the only supported Transfer-Encoding is `chunked`', { Connection: 'close' });

// Only the engine writes the messages of these errors. Other messages may quote the request: a driver quotes values, a
// parser quotes the text before the fault.
const SAFE_TO_LOG = new Set(['TypeError', 'RangeError', 'ReferenceError']);

const FRAMES = /^\s+at .+$/gm;

/** The logged form of an error: its type, code and stack, without data from the request. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack: readonly string[];
  readonly cause?: LoggedError;
}

/** Converts a thrown value to a form that is safe to log. */
export const loggedError = (thrown: unknown, depth = 0): LoggedError => {
  if (!(thrown instanceof Error)) return { type: typeof thrown, stack: [] };
  const { name, message, stack = '', cause } = thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return {
    type: name,
    ...(code === undefined ? {} : { code }),
    ...(SAFE_TO_LOG.has(name) ? { message } : {}),
    stack: (stack.match(FRAMES) ?? []).map((frame) => frame.trim()),
    ...(cause === undefined || depth > 3 ? {} : { cause: loggedError(cause, depth + 1) }),
  };
};

/** An error response: status, headers of the problem, and a body in the format of RFC 9457 as JSON text. */
export interface ProblemResponse {
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly { readonly field: string; readonly code: string; readonly detail: string }[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The media type of a problem. RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json';

/** Returns the header that asks for a bearer token. RFC 6750, section 3. */
const challenge = (parameter = ''): Readonly<Record<string, string>> => ({
  'WWW-Authenticate': `Bearer realm="chapter"${parameter}`,
});

const challenges: Partial<Record<ProblemCode, Readonly<Record<string, string>>>> = {
  authentication_required: challenge(),
  invalid_credentials: challenge(),
  invalid_token: challenge(', error="invalid_token"'),
};

interface RequestIds {
  readonly requestId: string;
  readonly traceId?: string | undefined;
}

/** Makes a problem (contract §2) with the first 50 faults. `detail` must not expose internals. */
const makeProblem = (
  code: ProblemCode,
  detail: string,
  { requestId, traceId }: RequestIds,
  faults: readonly FieldFault[] = [],
  headers: Readonly<Record<string, string>> = {},
): ProblemResponse => {
  const status = PROBLEM_STATUS[code];
  const errors = faults
    .slice(0, MAX_FAULTS)
    .map((fault) => ({ field: faultName(fault), code: fault.code, detail: fault.detail }));
  const ids = { request_id: requestId, trace_id: traceId };
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail, code, ...ids };
  return {
    status,
    code,
    detail,
    errors,
    headers: { ...headers, ...challenges[code], 'Content-Type': PROBLEM_TYPE, 'Cache-Control': 'no-store' },
    body: JSON.stringify(errors.length > 0 ? { ...body, errors } : body),
  };
};

/** Converts an error to a problem. The problem of an unexpected error exposes nothing about it. */
export const problemOf = (error: unknown, ids: RequestIds): ProblemResponse => {
  if (isDomainError(error)) {
    const { code, message, faults, retryAfter } = error;
    const headers: Record<string, string> = {};
    if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfter)));
    return makeProblem(code, message, ids, faults, headers);
  }
  if (error instanceof HttpError) return makeProblem(error.code, error.message, ids, [], error.headers);
  return makeProblem('internal_error', 'internal error; the incident has been logged', ids);
};

/** The methods of pino that log errors. */
export type ErrorLog = Pick<Logger, 'error' | 'warn'>;

/** Converts the error of a request to a problem. Logs an unexpected error, and the cause of unavailability. */
export const reportProblem = (
  error: unknown,
  { requestId, traceId, route }: RequestIds & { readonly route: string | null },
  log: ErrorLog,
): ProblemResponse => {
  const problem = problemOf(error, { requestId, traceId });
  if (problem.code === 'internal_error') log.error({ requestId, route, error: loggedError(error) }, 'request failed');
  // Without a cause, the request's own line says all.
  else if (problem.status === 503 && error instanceof Error && error.cause !== undefined)
    log.warn({ requestId, route, error: loggedError(error) }, 'request could not be served');
  return problem;
};
