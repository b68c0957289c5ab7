import type { SessionId } from '../model/session.ts';
import type { Actor, UserId } from '../model/user.ts';

/** Reads the current rights of users, independent of the claims in tokens. */
export interface ActorDirectory {
  /**
   * Returns the user's current rights. Returns null if the user is deleted or inactive, or if the session has ended, has
   * expired with its last refresh token, or belongs to another user. Never cached.
   */
  find(userId: UserId, sessionId: SessionId): Promise<Actor | null>;
}
