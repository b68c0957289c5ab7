import type { SessionId } from '../model/session.ts';
import type { Actor, UserId } from '../model/user.ts';

/** Tells what somebody may do now, whatever their token says. */
export interface ActorDirectory {
  /**
   * The user's present rights, or null when the user is gone or inactive, or the session has ended, has expired with its
   * last refresh token or is not the user's. Never cached.
   */
  find(userId: UserId, sessionId: SessionId): Promise<Actor | null>;
}
