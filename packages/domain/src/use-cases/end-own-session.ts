import { notFound } from '../model/errors.ts';
import type { SessionId } from '../model/session.ts';
import type { Actor } from '../model/user.ts';
import { authorizedSessionOwner } from '../policy/authorize.ts';
import type { SessionRepository } from '../ports/session-repository.ts';
import type { ReadInput } from './steps/changes.ts';

/**
 * Ends an active session of the caller, possibly the one that the request uses. See contract §11.
 *
 * @throws DomainError `not_found` if the caller has no active session with this id; `invalid_token`, `unavailable`.
 */
export const makeEndOwnSession =
  ({ sessions }: { sessions: SessionRepository }) =>
  async (actor: Actor, id: SessionId, readInput: ReadInput<void>): Promise<void> => {
    const owner = authorizedSessionOwner(actor, 'endOwnSession');
    const active = await sessions.list(owner);
    if (!active.some((session) => session.id === id)) throw notFound();
    await readInput();
    // Another request may have ended it meanwhile.
    if ((await sessions.endOne(id, owner)) === null) throw notFound();
  };
