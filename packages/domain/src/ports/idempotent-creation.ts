import type { Actor, PasswordHash, User } from '../model/user.ts';

/** A creation that happens once, however often it is requested. Kept for 24 hours. Contract, section 7. */
export interface IdempotentCreation {
  /** The idempotency key that the caller chose; keys of different authors never meet. */
  readonly key: string;
  /** The request in one text form, without the password. */
  readonly request: string;
}

/** What a creation finds under a key that was used before. */
export interface PriorCreation {
  readonly request: string;
  /** The user as the first creation returned it. */
  readonly user: User;
  /**
   * The hash that the first creation stored, if it is still the user's; null if the password was changed since or the
   * user was deleted.
   */
  readonly passwordHash: PasswordHash | null;
}

/** The user that a creation created, or what it found of a prior one. */
export type CreatedUser = { readonly user: User } | { readonly earlier: PriorCreation };

/** Decides on the author's rights as locked, null for the operator; throws to refuse the creation. */
export type PermitCreation = (actor: Actor | null) => void;
