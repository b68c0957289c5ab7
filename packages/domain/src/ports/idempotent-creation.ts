import type { PasswordHash, User } from '../model/user.ts';

/** A creation that is to happen once however often it is asked for. Kept for 24 hours. */
export interface Once {
  /** What the caller calls it; it belongs to the author. */
  readonly key: string;
  /** The request in one text form, without the password. */
  readonly request: string;
}

/** What a creation under a key that was used before finds. */
export interface Earlier {
  readonly request: string;
  /** The user as the first creation answered it. */
  readonly user: User;
  /**
   * The hash that the first creation stored, where it still is the user's; null where the password was changed since or
   * the user was deleted. It is kept with the user alone.
   */
  readonly passwordHash: PasswordHash | null;
}
