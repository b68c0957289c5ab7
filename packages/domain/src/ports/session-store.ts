import type { ActorDirectory } from './actor-directory.ts';
import type { SessionRepository } from './session-repository.ts';
import type { UserRepository } from './user-repository.ts';

/** The ports that depend on where sessions are stored. */
export interface SessionStore {
  readonly sessions: SessionRepository;
  readonly actors: ActorDirectory;
}

/**
 * Makes a session store outside the database of the users. Changes that end sessions call `sessions.endAll` in their
 * transaction. Therefore `start` must first store the session and then read the user through `users.update`, which waits for
 * such a change. If the user is then deleted, inactive, or has another hash, `start` must end the session again.
 *
 * Such a store does not update the `UserDirectory`, whose `lastActiveOn` is then null for every user.
 */
export type MakeSessionStore = (users: UserRepository) => SessionStore;
