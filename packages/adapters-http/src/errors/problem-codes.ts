import type { DomainErrorCode } from '@chapter/domain';

/** The HTTP status of each stable `code` (contract §2). A domain error code without a status does not compile. */
export const PROBLEM_STATUS = {
  bad_request: 400,
  malformed_json: 400,
  authentication_required: 401,
  invalid_credentials: 401,
  invalid_token: 401,
  field_forbidden: 403,
  forbidden: 403,
  read_only_token: 403,
  session_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  email_taken: 409,
  idempotency_conflict: 409,
  last_leader: 409,
  name_taken: 409,
  too_many_tokens: 409,
  username_taken: 409,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  too_costly: 422,
  validation_failed: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  unavailable: 503,
} as const satisfies Record<DomainErrorCode, number> & Readonly<Record<string, number>>;

/** The `code` of a problem. */
export type ProblemCode = keyof typeof PROBLEM_STATUS;

/** The codes of errors outside the use cases. */
export type HttpErrorCode = Exclude<ProblemCode, DomainErrorCode> | 'not_found';

/** The codes that an operation can return. The other errors occur before an operation is found. */
export type OperationCode = Exclude<
  ProblemCode,
  'headers_too_large' | 'method_not_allowed' | 'not_implemented' | 'request_timeout'
>;
