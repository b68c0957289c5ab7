import type { AuditedAction } from '../model/audit-entry.ts';
import type { DivisionId } from '../model/division.ts';
import type { NewPersonalToken, PersonalToken } from '../model/personal-token.ts';
import type { SessionId } from '../model/session.ts';
import type { Actor, Author, Group, Instant, PersonalTokenId, UserId } from '../model/user.ts';
import type { LockedOwner, TokenCreation } from '../writes/credential-writes.ts';

/** The claims of an access token. This service trusts only `sub` and `sid`; the rest is for other services. Contract §6. */
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

/** Issues and checks access tokens (JWT, RFC 7519). */
export interface AccessTokens {
  /** Issues a token that expires in `expiresIn` seconds, no later than at `notAfter`: if that has passed, in 0 s. */
  issue(claims: AccessClaims, notAfter: Instant): Promise<{ readonly token: string; readonly expiresIn: number }>;

  /** Returns the user and session of a token. @throws DomainError `invalid_token` if it is invalid in any way. */
  verify(token: string): Promise<Pick<AccessClaims, 'sub' | 'sid'>>;

  /** Returns the public keys that verify tokens, as a JWK set (RFC 7517). Returns the same object until the keys change. */
  keys(): { readonly keys: readonly Readonly<Record<string, unknown>>[] };
}

/** The digests by which a refresh token is found: its own, and that of its family. */
export interface TokenDigests {
  /** The digest of the token itself. */
  readonly digest: string;
  /** The digest that all tokens of a session share. */
  readonly family: string;
}

/**
 * Generates the tokens of sessions and password links, which are opaque random text. The tokens of a session are one
 * family: they share a part that only they contain, so that a consumed token is recognized without being stored.
 */
export interface RefreshTokens {
  /** Returns a new token of the family of `previous`, or of a new family. At least 256 random bits are its own. */
  issue(previous?: string): { readonly token: string; readonly digest: string };

  /** Returns the digests of any text. */
  digestsOf(token: string): TokenDigests;
}

/** Generates personal access tokens, and recognizes their form. */
export interface PersonalTokenFormat {
  /** Returns a new token that matches `PERSONAL_TOKEN_PATTERN`, and the digest by which it is stored. */
  issue(): { readonly token: string; readonly digest: string };

  /** Returns the digest of a token; null for a text that `issue` never returns, as its checksum shows. */
  digestOf(token: string): string | null;
}

/**
 * Stores personal access tokens by their digests. A write with `endsTokens` ends all of a user. The clock of the
 * repository decides when tokens expire. An expired token counts as absent in every method.
 */
export interface PersonalTokens {
  /**
   * Locks author and user, calls `decide`, stores the token and writes the audit entry.
   *
   * @throws DomainError `not_found` if there is no such user; errors thrown by `decide`.
   */
  create(
    author: Author,
    token: NewPersonalToken,
    decide: (locked: TokenCreation) => AuditedAction,
  ): Promise<PersonalToken>;

  /** Returns the tokens of a user, newest first. */
  list(userId: UserId): Promise<readonly PersonalToken[]>;

  /**
   * Locks author and user, calls `decide`, ends the token and writes the audit entry.
   *
   * @throws DomainError `not_found` if the user has no such token; errors thrown by `decide`.
   */
  end(
    author: Author,
    which: { readonly userId: UserId; readonly id: PersonalTokenId },
    decide: (locked: LockedOwner & { readonly token: Pick<PersonalToken, 'id' | 'name'> }) => AuditedAction,
  ): Promise<void>;

  /**
   * Returns the token with a digest and the present rights of its user, or null if there is none or the user is
   * inactive. Never cached. Stores the day as that of the last use soon afterwards, without making the caller wait.
   */
  use(digest: string): Promise<(Pick<PersonalToken, 'id' | 'isReadOnly'> & { readonly actor: Actor }) | null>;
}
