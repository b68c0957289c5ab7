/** Every code of a {@link DomainError}. Stable: other services and API clients branch on it. */
export const DOMAIN_ERROR_CODES = Object.freeze([
  'authentication_required',
  'invalid_token',
  'invalid_credentials',
  'forbidden',
  'field_forbidden',
  'session_required',
  'read_only_token',
  'not_found',
  'validation_failed',
  'too_costly',
  'precondition_failed',
  'username_taken',
  'email_taken',
  'name_taken',
  'last_leader',
  'too_many_tokens',
  'idempotency_conflict',
  'rate_limited',
  'unavailable',
] as const);

/** The code of a {@link DomainError}. */
export type DomainErrorCode = (typeof DOMAIN_ERROR_CODES)[number];

/** Every kind of a fault in a field or parameter. */
export const FAULT_CODES = Object.freeze([
  'required',
  'unknown_field',
  'read_only',
  'invalid_type',
  'invalid_format',
  'too_short',
  'too_long',
  'out_of_range',
  'too_common',
  'unknown_parameter',
  'invalid_cursor',
  'duplicate',
  'incorrect',
  'field_forbidden',
] as const);

/** The kind of a fault in a field or parameter. */
export type FaultCode = (typeof FAULT_CODES)[number];

/** One fault of a request. */
export interface FieldFault {
  /** The field's domain name (`firstName`), or the empty string for the whole request. Adapters translate it. */
  readonly field: string;
  readonly code: FaultCode;
  /** A fragment for people that completes a sentence beginning with the field's name. Contains no value. */
  readonly detail: string;
}

/** The refusal of a use case, with a stable code. Independent of HTTP: adapters translate it. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  /** All faults of the request; empty unless the code is `validation_failed` or `field_forbidden`. */
  readonly faults: readonly FieldFault[];
  /** Seconds after which the client may retry; only with `rate_limited` and `unavailable`. */
  readonly retryAfter: number | undefined;

  constructor(
    code: DomainErrorCode,
    message: string,
    more: { readonly faults?: readonly FieldFault[]; readonly retryAfter?: number; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = 'DomainError';
    this.code = code;
    this.faults = more.faults ?? [];
    this.retryAfter = more.retryAfter;
  }
}

/**
 * Whether an error is a {@link DomainError}. Also recognizes errors of another installed copy of this package, for
 * which `instanceof` returns false.
 */
export const isDomainError = (error: unknown): error is DomainError =>
  error instanceof Error &&
  error.name === 'DomainError' &&
  'code' in error &&
  (DOMAIN_ERROR_CODES as readonly unknown[]).includes(error.code) &&
  'faults' in error &&
  Array.isArray(error.faults);

/** The target does not exist, or the caller may not know that it does. Both look the same. */
export const notFound = (): DomainError => new DomainError('not_found', 'not found');

/** The caller may know of the target but not do this. `detail` names the rule that was not met. */
export const forbidden = (detail: string): DomainError => new DomainError('forbidden', detail);

/** The caller may perform the action but not write these fields. */
export const fieldForbidden = (faults: readonly FieldFault[]): DomainError =>
  new DomainError('field_forbidden', 'the request contains fields that you may not write', { faults });

/** A personal access token may not do this, even if its user may. */
export const sessionRequired = (): DomainError =>
  new DomainError(
    'session_required',
    'a personal access token may not change passwords, create password links, or use sessions and tokens; log in',
  );

/** The personal access token is read-only, and the request would change something. */
export const readOnlyToken = (): DomainError =>
  new DomainError('read_only_token', 'this personal access token is read-only');

/** Fields or parameters of the request are invalid; `faults` lists all of them. */
export const validationFailed = (faults: readonly FieldFault[]): DomainError =>
  new DomainError('validation_failed', 'the request contains invalid fields or parameters', { faults });

/** The list or count would read too many rows; `detail` says what to do instead. Repeating the request does not help. */
export const tooCostly = (detail: string): DomainError => new DomainError('too_costly', detail);

/** The same error for an unknown username, a wrong password and an inactive user. */
export const invalidCredentials = (): DomainError =>
  new DomainError('invalid_credentials', 'username or password is wrong');

/** The token is invalid or expired, its session has ended, or its user is inactive or deleted. */
export const invalidToken = (cause?: unknown): DomainError =>
  new DomainError('invalid_token', 'the token is invalid or expired, or its session has ended', { cause });

/** The target has changed since the caller read it. RFC 9110, section 13.1.1. */
export const preconditionFailed = (): DomainError =>
  new DomainError('precondition_failed', 'the resource has changed since you read it; read it again');

/** Another user or division already has a name that must be unique. */
export const taken = (field: 'username' | 'email' | 'name'): DomainError =>
  new DomainError(`${field}_taken`, `this ${field} is taken`);

/** The change would leave a division without an active Leader. */
export const lastLeader = (): DomainError =>
  new DomainError('last_leader', 'this is the last active Leader of the division; make another user a Leader first');

/** The user has the maximum number of personal access tokens. */
export const tooManyTokens = (max: number): DomainError =>
  new DomainError('too_many_tokens', `a user has at most ${max} personal access tokens; end one first`);

/** The idempotency key was used before with another body. */
export const idempotencyConflict = (): DomainError =>
  new DomainError('idempotency_conflict', 'this Idempotency-Key was used before with another body; use a new key');

/** The caller does something too often, by default failed attempts; `retryAfter` is in seconds. */
export const rateLimited = (retryAfter: number, detail = 'too many failed attempts; try again later'): DomainError =>
  new DomainError('rate_limited', detail, { retryAfter });

/** A dependency of the service is unavailable or overloaded; `retryAfter` is in seconds. */
export const unavailable = (cause?: unknown, retryAfter = 1): DomainError =>
  new DomainError('unavailable', 'the service is temporarily unavailable; try again shortly', {
    retryAfter,
    cause,
  });
