import type { SessionRepository } from '@chapter/domain';
import type { EndSessions } from '../users/user-repository.ts';
import { END_ALL, END_ONE } from './own-session-statements.ts';

/** Ends the sessions that this database keeps of a user, if the transaction commits. */
export const endSessionsHere: EndSessions = {
  all: async (tx, userId) => END_ALL.send(tx, { userId }),
  counted: async (tx, userId, sessionId) => {
    if (sessionId !== null) return (await END_ONE.run(tx, { id: sessionId, owner: userId })).length;
    return (await END_ALL.run(tx, { userId })).filter(([isActive]) => isActive).length;
  },
};

/** Ends the sessions of a user in a store outside of the transaction, as soon as all that the transaction wrote is accepted. */
export const endSessionsElsewhere = (sessions: () => SessionRepository): EndSessions => ({
  all: async (tx, userId) => {
    await tx.query({ name: 'accepted', text: 'select' }, []);
    await sessions().endAll(userId);
  },
  counted: async (_, userId, sessionId) => {
    if (sessionId === null) return sessions().endAll(userId);
    return (await sessions().endOne(sessionId, userId)) === null ? 0 : 1;
  },
});
