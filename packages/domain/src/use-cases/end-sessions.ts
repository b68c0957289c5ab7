import { notFound } from '../model/errors.ts';
import type { SessionId } from '../model/session.ts';
import { authorOf, type Caller, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { SessionRepository } from '../ports/session-repository.ts';
import type { UserRepository } from '../ports/user-repository.ts';

/**
 * Ends all sessions of a user, or one session by its id, and writes an audit entry if one ended. Returns whose sessions ended
 * and how many.
 *
 * @throws DomainError like `authorize`; `not_found` for an unknown session.
 */
export const makeEndSessions =
  ({ users, sessions }: { users: UserRepository; sessions: SessionRepository }) =>
  async (caller: Caller, which: { readonly userId: UserId } | { readonly sessionId: SessionId }) => {
    const sessionId = 'sessionId' in which ? which.sessionId : null;
    const owner = 'userId' in which ? which.userId : await sessions.findOwner(which.sessionId);
    const { id: userId } = authorizedUser(caller, 'endSessions', owner === null ? null : await users.find(owner));
    const ended = await users.endSessions(authorOf(caller), userId, sessionId);
    if (sessionId !== null && ended === 0) throw notFound();
    return { userId, ended };
  };
