import type { Actor, PasswordHash, User } from '../model/user.ts';

/** An idempotency key and the request that uses it. Stored for 24 hours. See contract §7. */
export interface IdempotentCreation {
  /** The key chosen by the caller. Keys of different authors are independent. */
  readonly key: string;
  /** The canonical text of the request, without the password. */
  readonly request: string;
}

/** The earlier creation with the same idempotency key. */
export interface PriorCreation {
  /** The canonical text of the first request, without the password. */
  readonly request: string;
  /** The user as the first creation returned it. */
  readonly user: User;
  /**
   * The hash that the first creation stored, if it is still the user's. Null if the password has changed since or the user
   * was deleted.
   */
  readonly passwordHash: PasswordHash | null;
}

/** The created user, or an earlier creation with the same key. */
export type CreatedUser = { readonly user: User } | { readonly prior: PriorCreation };

/** Checks the author's locked rights (null for the operator); throws to refuse the creation. */
export type PermitCreation = (actor: Actor | null) => void;
