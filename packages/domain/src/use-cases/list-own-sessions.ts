import type { Actor } from '../model/user.ts';
import { authorizedSessionOwner } from '../policy/authorize.ts';
import type { SessionRepository, StoredSession } from '../ports/session-repository.ts';

/** A session of the caller. */
export interface OwnSession extends StoredSession {
  /** Whether the request uses this session. */
  readonly isCurrent: boolean;
}

/** Lists the active sessions of the caller, newest first. See contract §11. @throws DomainError `invalid_token`, `unavailable`. */
export const makeListOwnSessions =
  ({ sessions }: { sessions: SessionRepository }) =>
  async (actor: Actor): Promise<readonly OwnSession[]> => {
    const active = await sessions.list(authorizedSessionOwner(actor, 'listOwnSessions'));
    return active.map((session) => Object.assign({ isCurrent: session.id === actor.sessionId }, session));
  };
