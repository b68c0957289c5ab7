import type { ActorDirectory } from './actor-directory.ts';
import type { SessionRepository } from './session-repository.ts';
import type { UserRepository } from './user-repository.ts';

/** The ports that depend on where sessions are kept. */
export interface SessionStore {
  readonly sessions: SessionRepository;
  readonly actors: ActorDirectory;
}

/**
 * Makes a session store outside of the database that keeps the users, which calls `sessions.endAll` in the transaction of
 * a change that ends sessions. `start` therefore stores a session first, and then compares the user with `users.update`,
 * which waits for such a change; it ends the session where the user has another hash or is inactive.
 */
export type MakeSessionStore = (users: UserRepository) => SessionStore;
