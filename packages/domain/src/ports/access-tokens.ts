import type { DivisionId } from '../model/division.ts';
import type { SessionId } from '../model/session.ts';
import type { Group, Instant, UserId } from '../model/user.ts';

/** The claims of an access token. This service trusts only `sub` and `sid`; the rest is for other services. See contract §6. */
export interface AccessClaims {
  readonly sub: UserId;
  readonly sid: SessionId;
  /** The login name when the token was issued. */
  readonly username: string;
  readonly division_id: DivisionId;
  readonly groups: readonly Group[];
  /** As {@link User.isStaff}. */
  readonly is_staff: boolean;
  /** As {@link User.isSuperuser}. */
  readonly is_superuser: boolean;
}

/** An access token and its lifetime in seconds. */
export interface IssuedAccessToken {
  /** The signed token. */
  readonly token: string;
  /** Seconds until it expires. */
  readonly expiresIn: number;
}

/** Issues and checks access tokens (JWT, RFC 7519). */
export interface AccessTokens {
  /** Issues a token that expires no later than `notAfter`. If that instant has passed, the lifetime is 0. */
  issue(claims: AccessClaims, notAfter: Instant): Promise<IssuedAccessToken>;

  /** Returns the user and session of a token. @throws DomainError `invalid_token` if it is invalid in any way. */
  verify(token: string): Promise<Pick<AccessClaims, 'sub' | 'sid'>>;

  /** Returns the public keys that verify tokens, as a JWK set (RFC 7517). Returns the same object until the keys change. */
  keys(): { readonly keys: readonly Readonly<Record<string, unknown>>[] };
}
