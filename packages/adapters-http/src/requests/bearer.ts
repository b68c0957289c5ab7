import { DomainError, invalidToken } from '@chapter/domain';

const SCHEME = /^bearer(?: |$)/i;
// RFC 6750, section 2.1: b64token. The bound keeps what is no token of ours from being hashed.
const CREDENTIALS = /^bearer +([A-Za-z0-9._~+/-]{1,4096}=*)$/i;

/**
 * The access token of an `Authorization` header.
 *
 * @throws DomainError `authentication_required` when there is none, `invalid_token` when what follows `Bearer` cannot be one.
 */
export const bearerToken = (authorization: string | undefined): string => {
  const token = authorization === undefined ? undefined : CREDENTIALS.exec(authorization)?.[1];
  if (token !== undefined) return token;
  if (authorization !== undefined && SCHEME.test(authorization)) throw invalidToken();
  throw new DomainError('authentication_required', 'send an access token as `Authorization: Bearer …`');
};
