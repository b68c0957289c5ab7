/** Every code of a {@link DomainError}. Stable: other services and API clients branch on it. */
export const DOMAIN_ERROR_CODES = Object.freeze([
  'authentication_required',
  'invalid_token',
  'invalid_credentials',
  'forbidden',
  'field_forbidden',
  'not_found',
  'validation_failed',
  'precondition_failed',
  'username_taken',
  'email_taken',
  'name_taken',
  'last_leader',
  'idempotency_conflict',
  'rate_limited',
  'unavailable',
] as const);

/** What a {@link DomainError} means. */
export type DomainErrorCode = (typeof DOMAIN_ERROR_CODES)[number];

/** What can be wrong with one field or parameter. */
export type FaultCode =
  | 'required'
  | 'unknown_field'
  | 'read_only'
  | 'invalid_type'
  | 'invalid_format'
  | 'too_short'
  | 'too_long'
  | 'out_of_range'
  | 'too_common'
  | 'unknown_parameter'
  | 'invalid_cursor'
  | 'duplicate'
  | 'incorrect'
  | 'field_forbidden';

/** One fault of a request. */
export interface FieldFault {
  /** The field's name in the domain (`firstName`), or the empty string for the whole. Adapters write it their way. */
  readonly field: string;
  readonly code: FaultCode;
  /** A sentence part for people, without the field's name and without any value. */
  readonly detail: string;
}

/** Everything that a use case refuses, by a stable code. Knows nothing of HTTP: each adapter translates at its edge. */
export class DomainError extends Error {
  readonly code: DomainErrorCode;
  /** All faults of the request at once; empty unless the code is `validation_failed` or `field_forbidden`. */
  readonly faults: readonly FieldFault[];
  /** Seconds after which another try makes sense; only with `rate_limited` and `unavailable`. */
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
 * Tells whether an error is a {@link DomainError}, thrown by this copy of the package or by another that a dependency
 * brought along: `instanceof` sees only those of its own copy.
 */
export const isDomainError = (error: unknown): error is DomainError =>
  error instanceof Error &&
  error.name === 'DomainError' &&
  'code' in error &&
  (DOMAIN_ERROR_CODES as readonly unknown[]).includes(error.code) &&
  'faults' in error &&
  Array.isArray(error.faults);

/** The caller may not know whether the target exists, or it does not: the two are never told apart. */
export const notFound = (): DomainError =>
  new DomainError('not_found', 'there is nothing here, or nothing that you may know of');

/** The caller may know of the target, but not do this. `detail` says in plain words which rule was missing. */
export const forbidden = (detail: string): DomainError => new DomainError('forbidden', detail);

/** The caller may do this, but not write these fields. */
export const fieldForbidden = (faults: readonly FieldFault[]): DomainError =>
  new DomainError('field_forbidden', 'you may not write some of these fields', { faults });

/** The request's fields or parameters are wrong; `faults` has every one of them. */
export const validationFailed = (faults: readonly FieldFault[]): DomainError =>
  new DomainError('validation_failed', 'some fields or parameters are not valid', { faults });

/** One and the same for an unknown username, a wrong password and an inactive user. */
export const invalidCredentials = (): DomainError =>
  new DomainError('invalid_credentials', 'username or password is wrong');

/** The token is no token of this service, is expired, or its user or session has ended. */
export const invalidToken = (cause?: unknown): DomainError =>
  new DomainError('invalid_token', 'the token is not valid, has expired, or its session has ended', { cause });

/** The target changed since the caller read it. RFC 9110, section 13.1.1. */
export const preconditionFailed = (): DomainError =>
  new DomainError('precondition_failed', 'it was changed since you read it');

/** A name that must be unique belongs to another user or division already. */
export const taken = (field: 'username' | 'email' | 'name'): DomainError =>
  new DomainError(`${field}_taken`, `this ${field} is taken`);

/** A division keeps at least one active Leader. */
export const lastLeader = (): DomainError =>
  new DomainError('last_leader', 'this is the last active Leader of the division; make somebody else a Leader first');

/** An idempotency key was used before with another body. */
export const idempotencyConflict = (): DomainError =>
  new DomainError('idempotency_conflict', 'this Idempotency-Key was used before with another body');

/** Too many failed attempts; `retryAfter` is in seconds. */
export const rateLimited = (retryAfter: number): DomainError =>
  new DomainError('rate_limited', 'too many failed attempts; try again later', { retryAfter });

/** Something that the service depends on is away or overloaded; `retryAfter` is in seconds. */
export const unavailable = (cause?: unknown, retryAfter = 1): DomainError =>
  new DomainError('unavailable', 'the service is not available at the moment; try again shortly', {
    retryAfter,
    cause,
  });
