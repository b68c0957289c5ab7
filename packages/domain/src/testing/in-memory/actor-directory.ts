import type { ActorDirectory } from '../../ports/session-repository.ts';
import { isActiveSession, type Store, storedActor } from './store.ts';

/** Returns an in-memory actor directory. */
export const makeInMemoryActors = (store: Store): ActorDirectory => ({
  find: async (userId, sessionId) => {
    const actor = storedActor(store, userId);
    const isOwn = store.sessions.get(sessionId)?.userId === userId;
    return actor?.isActive && isOwn && isActiveSession(store, sessionId) ? actor : null;
  },
});
