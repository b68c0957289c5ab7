import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { DomainError, invalidToken } from '@chapter/domain';
import { type WireFault, wireFault } from '../errors/wire-fault.ts';

/** Returns the value of a header; several lines of it are one list. RFC 9110, section 5.3. */
export const header = ({ headers }: IncomingMessage, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
};

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the caller's own request id if it is safe to log, else a new one. Contract, section 1. */
export const requestIdOf = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomUUID();

const SCHEME = /^bearer(?: |$)/i;
// RFC 6750, section 2.1: b64token. The bound limits the work that a forged token causes.
const CREDENTIALS = /^bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

/**
 * Returns the access token of an `Authorization` header.
 *
 * @throws DomainError `authentication_required` without a token, `invalid_token` when what follows `Bearer` cannot be one.
 */
export const bearerToken = (authorization: string | undefined): string => {
  const token = authorization === undefined ? undefined : CREDENTIALS.exec(authorization)?.[1];
  if (token !== undefined) return token;
  if (authorization !== undefined && SCHEME.test(authorization)) throw invalidToken();
  throw new DomainError('authentication_required', 'send an access token as `Authorization: Bearer …`');
};

/** The header that makes a creation happen once. Contract, section 7. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** The form of an idempotency key: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{1,255}$';

const KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

/** Returns the faults of an idempotency key; none if no key was sent. */
export const idempotencyKeyFaults = (key: string | undefined): readonly WireFault[] =>
  key === undefined || KEY.test(key)
    ? []
    : [wireFault(IDEMPOTENCY_KEY, 'invalid_format', 'must be 1 to 255 visible ASCII characters')];
