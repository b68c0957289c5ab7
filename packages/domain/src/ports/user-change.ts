import type { Actor, PasswordHash, User } from '../model/user.ts';

/** What is stored of a user, read under a lock together with the author's present rights. */
export interface LockedUser {
  /** The author as stored at this moment; null for the operator and for a deleted author. */
  readonly actor: Actor | null;
  readonly user: User;
  readonly passwordHash: PasswordHash | null;
  /** Whether this user is an active Leader, and the division has no other. */
  readonly isLastLeader: boolean;
}

/** The new state of a user. */
export interface UserChange {
  /** The new values. Fields that no update changes, and the revision, keep what is stored. */
  readonly user: User;
  /** A new hash; absent where the password stays. */
  readonly passwordHash?: PasswordHash;
  /** Whether every session of the user ends with the change. */
  readonly endsSessions: boolean;
}
