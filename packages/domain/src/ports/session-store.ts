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
 * transaction. Therefore `start` first stores a session and then reads the user through `users.update`, which waits for such
 * a change. It ends the session again if the user is inactive or has another hash.
 *
 * Such a store does not update the `UserDirectory`, whose `lastActiveOn` is then null for every user.
 */
export type MakeSessionStore = (users: UserRepository) => SessionStore;
