import type { DivisionReference } from '../model/division.ts';
import type { Actor, PasswordHash, User } from '../model/user.ts';

/** A stored user, read under a lock together with the author's current rights. */
export interface LockedUser {
  /** The author as stored now; null for the operator and for a deleted author. */
  readonly actor: Actor | null;
  readonly user: User;
  readonly passwordHash: PasswordHash | null;
  /** Whether this user is the only active Leader of the division. */
  readonly isLastLeader: boolean;
  /** Whether this user is the only active Leader of a division that has other members, active or not. */
  readonly leadsOthersAlone: boolean;
}

/** The new state of a user. */
export interface UserChange {
  /** The new values. The revision and fields that no update may change are ignored. */
  readonly user: User;
  /** The new hash; absent if the password does not change. */
  readonly passwordHash?: PasswordHash;
  /** Whether the change ends all sessions of the user. */
  readonly endsSessions: boolean;
}

/** Returns the new state of a user who moves to the division `to`, which cannot be deleted meanwhile. Throws to refuse. */
export type MoveChange = (locked: LockedUser, to: DivisionReference) => User;
