import { notFound } from '../../model/errors.ts';
import type { SessionId } from '../../model/session.ts';
import type { Author, UserId } from '../../model/user.ts';
import type { SessionRepository } from '../../ports/session-repository.ts';
import type { UserRepository } from '../../ports/user-repository.ts';

/** All sessions of a user, or one session by its id. */
export type SessionsToEnd = { readonly userId: UserId } | { readonly sessionId: SessionId };

/** Whose sessions ended, and how many. */
export interface EndedSessions {
  readonly userId: UserId;
  readonly ended: number;
}

/**
 * Ends sessions of any user, and writes an audit entry if one ended. For the operator only.
 *
 * @throws DomainError `not_found` for an unknown user or session.
 */
export const makeEndSessions =
  ({ users, sessions }: { users: UserRepository; sessions: SessionRepository }) =>
  async (author: Author, which: SessionsToEnd): Promise<EndedSessions> => {
    if ('userId' in which) return { userId: which.userId, ended: await users.endSessions(author, which.userId, null) };
    const { sessionId } = which;
    const userId = await sessions.findOwner(sessionId);
    if (userId === null) throw notFound();
    const ended = await users.endSessions(author, userId, sessionId);
    if (ended === 0) throw notFound();
    return { userId, ended };
  };
