import type { AuditedAction } from '../model/audit-entry.ts';
import type { NewPersonalToken, PersonalToken } from '../model/personal-token.ts';
import type { Actor, Author, PersonalTokenId, UserId } from '../model/user.ts';
import type { LockedOwner, TokenCreation } from '../writes/credential-writes.ts';

/** Generates personal access tokens, and recognizes their form. */
export interface PersonalTokenFormat {
  /** Returns a new token that matches `PERSONAL_TOKEN_PATTERN`, and the digest by which it is stored. */
  issue(): { readonly token: string; readonly digest: string };

  /** Returns the digest of a token; null for a text that `issue` never returns, as its checksum shows. */
  digestOf(token: string): string | null;
}

/**
 * Stores personal access tokens by their digests. A write with `endsTokens` ends all of a user. The clock of the repository decides
 * when tokens expire. An expired token counts as absent in every method.
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
   * Returns the token with a digest and the present rights of its user, or null if there is none or the user is inactive. Never
   * cached. Stores the day as that of the last use soon afterwards, without making the caller wait.
   */
  use(digest: string): Promise<(Pick<PersonalToken, 'id' | 'isReadOnly'> & { readonly actor: Actor }) | null>;
}
