import type { ActorDirectory } from '../../ports/actor-directory.ts';
import { type Store, storedActor } from './store.ts';

/** The actor directory in memory. */
export const makeInMemoryActors = (store: Store): ActorDirectory => ({
  find: async (userId, sessionId) => {
    const actor = storedActor(store, userId);
    const now = store.clock.now();
    const lives = [...store.tokens.values()].some((token) => token.sessionId === sessionId && token.expiresAt > now);
    return actor?.isActive && lives && store.sessions.get(sessionId)?.userId === userId ? actor : null;
  },
});
