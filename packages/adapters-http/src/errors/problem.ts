import { STATUS_CODES } from 'node:http';
import { type FieldFault, isDomainError } from '@chapter/domain';
import { MAX_FAULTS } from './fault-limits.ts';
import { HttpError } from './http-error.ts';
import { PROBLEM_STATUS, type ProblemCode } from './problem-codes.ts';
import { faultName } from './wire-fault.ts';

/** An error response: status, headers, and a body in the format of RFC 9457 as JSON text. */
export interface ProblemResponse {
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail: string;
  /** The faults that the body names. */
  readonly errors: readonly { readonly field: string; readonly code: string; readonly detail: string }[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The media type of a problem. RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json';

/** The challenge that asks for a bearer token. RFC 6750, section 3. */
const CHALLENGE = 'Bearer realm="chapter"';

const challenges: Partial<Record<ProblemCode, string>> = {
  authentication_required: CHALLENGE,
  invalid_credentials: CHALLENGE,
  invalid_token: `${CHALLENGE}, error="invalid_token"`,
};

/** Makes a problem (contract §2) with the first 50 faults. `detail` must not expose internals. */
export const makeProblem = (
  code: ProblemCode,
  detail: string,
  requestId: string,
  faults: readonly FieldFault[] = [],
  headers: Readonly<Record<string, string>> = {},
): ProblemResponse => {
  const status = PROBLEM_STATUS[code];
  const errors = faults
    .slice(0, MAX_FAULTS)
    .map((fault) => ({ field: faultName(fault), code: fault.code, detail: fault.detail }));
  const body = { type: 'about:blank', title: STATUS_CODES[status], status, detail, code, request_id: requestId };
  const challenge = challenges[code];
  return {
    status,
    code,
    detail,
    errors,
    headers: challenge === undefined ? headers : { ...headers, 'WWW-Authenticate': challenge },
    body: JSON.stringify(errors.length > 0 ? { ...body, errors } : body),
  };
};

/** Converts an error to a problem. The problem of an unexpected error exposes nothing about it. */
export const problemOf = (error: unknown, requestId: string): ProblemResponse => {
  if (isDomainError(error)) {
    const { code, message, faults, retryAfter } = error;
    const headers: Record<string, string> = {};
    if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(1, Math.ceil(retryAfter)));
    return makeProblem(code, message, requestId, faults, headers);
  }
  if (error instanceof HttpError) return makeProblem(error.code, error.message, requestId, [], error.headers);
  return makeProblem('internal_error', 'internal error; the incident has been logged', requestId);
};
