import type { DivisionId } from '../model/division.ts';
import type { SessionId } from '../model/session.ts';
import type { Group, Instant, UserId } from '../model/user.ts';

/** What an access token says. This service trusts `sub` and `sid` alone; the rest is for other services. Contract, section 6. */
export interface AccessClaims {
  readonly sub: UserId;
  readonly sid: SessionId;
  readonly username: string;
  readonly division_id: DivisionId;
  readonly groups: readonly Group[];
  readonly is_staff: boolean;
  readonly is_superuser: boolean;
}

/** An access token and its lifetime in seconds. */
export interface IssuedAccessToken {
  readonly token: string;
  readonly expiresIn: number;
}

/** Issues and checks access tokens (JWT, RFC 7519). */
export interface AccessTokens {
  /** Issues a token that expires no later than `notAfter`, which may be over: then its lifetime is 0. */
  issue(claims: AccessClaims, notAfter: Instant): Promise<IssuedAccessToken>;

  /** Who the token is about. @throws DomainError `invalid_token` whatever is wrong with it. */
  verify(token: string): Promise<Pick<AccessClaims, 'sub' | 'sid'>>;

  /** The public keys that tokens are checked with, as a JWK set (RFC 7517); the same object until the keys change. */
  keys(): { readonly keys: readonly Readonly<Record<string, unknown>>[] };
}
