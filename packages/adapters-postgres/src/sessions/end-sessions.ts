import type { SessionRepository } from '@chapter/domain';
import type { EndSessions } from '../users/user-repository.ts';
import { END_ALL, END_ONE } from './own-session-statements.ts';

/** Ends the sessions of a user in this database, if the transaction commits. */
export const endStoredSessions: EndSessions = {
  all: async (tx, userId) => END_ALL.send(tx, { userId }),
  oneOrAll: async (tx, userId, sessionId) => {
    if (sessionId !== null) return (await END_ONE.run(tx, { id: sessionId, owner: userId })).length;
    return (await END_ALL.run(tx, { userId })).filter(([isActive]) => isActive).length;
  },
};

/** Ends the sessions of a user in an external store, as soon as the database has accepted what the transaction has sent. */
export const endExternalSessions = (sessions: () => SessionRepository): EndSessions => ({
  all: async (tx, userId) => {
    await tx.query({ name: 'accepted', text: 'select' }, []);
    await sessions().endAll(userId);
  },
  oneOrAll: async (_, userId, sessionId) => {
    if (sessionId === null) return sessions().endAll(userId);
    return (await sessions().endOne(sessionId, userId)) === null ? 0 : 1;
  },
});
