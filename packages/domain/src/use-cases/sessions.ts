import { invalidToken, notFound } from '../model/errors.ts';
import type { SessionId } from '../model/session.ts';
import { type Actor, authorOf, type Caller, type UserId } from '../model/user.ts';
import { authorizedSessionOwner, authorizedUser } from '../policy/authorize.ts';
import type { StoredSession } from '../ports/session-repository.ts';
import type { ReadInput } from './steps/changes.ts';
import type { Ports } from './steps/ports.ts';
import { issuePair, type Session, type SessionPorts } from './steps/session.ts';

/**
 * Consumes a refresh token and returns a new pair of the same session. Presenting a consumed token too late or too
 * often ends its session, because the token may have been stolen. See contract §6.
 *
 * @throws DomainError `invalid_token`, `rate_limited`, `unavailable`.
 */
export const makeRefreshSession =
  (ports: Omit<SessionPorts, 'ids'>) =>
  async (refreshToken: string): Promise<Session> => {
    const { sessions, refreshTokens, refreshLifetime: lifetime, sessionLifetime } = ports;
    const { token, digest: nextDigest } = refreshTokens.issue(refreshToken);
    const presented = refreshTokens.digestsOf(refreshToken);
    const rotated = await sessions.rotate({ ...presented, nextDigest, lifetime, sessionLifetime });
    if (!rotated) throw invalidToken();
    return issuePair(ports, rotated, token);
  };

/** Ends the session of a refresh token. Does not report whether the token was known. @throws DomainError `unavailable`. */
export const makeEndSession =
  ({ sessions, refreshTokens }: Pick<Ports, 'sessions' | 'refreshTokens'>) =>
  (refreshToken: string): Promise<void> =>
    sessions.end(refreshTokens.digestsOf(refreshToken));

/** A session of the caller. */
export interface OwnSession extends StoredSession {
  /** Whether the request uses this session. */
  readonly isCurrent: boolean;
}

/** Lists the active sessions of the caller, newest first. Contract §11. @throws DomainError `invalid_token`, `unavailable`. */
export const makeListOwnSessions =
  ({ sessions }: Pick<Ports, 'sessions'>) =>
  async (actor: Actor): Promise<readonly OwnSession[]> => {
    const active = await sessions.list(authorizedSessionOwner(actor, 'listOwnSessions'));
    return active.map((session) => Object.assign({ isCurrent: session.id === actor.sessionId }, session));
  };

/**
 * Ends an active session of the caller, possibly the one that the request uses. See contract §11.
 *
 * @throws DomainError `not_found` if the caller has no active session with this id; `invalid_token`, `unavailable`.
 */
export const makeEndOwnSession =
  ({ sessions }: Pick<Ports, 'sessions'>) =>
  async (actor: Actor, id: SessionId, readInput: ReadInput<void>): Promise<void> => {
    const owner = authorizedSessionOwner(actor, 'endOwnSession');
    const active = await sessions.list(owner);
    if (!active.some((session) => session.id === id)) throw notFound();
    await readInput();
    // Another request may have ended it meanwhile.
    if (!(await sessions.endOne(id, owner))) throw notFound();
  };

/**
 * Ends all sessions of a user, or one session by its id, and writes an audit entry if one ended. Returns whose sessions
 * ended and how many.
 *
 * @throws DomainError like `authorize`; `not_found` for an unknown session.
 */
export const makeEndSessions =
  ({ users, sessions }: Pick<Ports, 'users' | 'sessions'>) =>
  async (caller: Caller, which: { readonly userId: UserId } | { readonly sessionId: SessionId }) => {
    const sessionId = 'sessionId' in which ? which.sessionId : null;
    const owner = 'userId' in which ? which.userId : await sessions.findOwner(which.sessionId);
    const { id: userId } = authorizedUser(caller, 'endSessions', owner === null ? null : await users.find(owner));
    const ended = await users.endSessions(authorOf(caller), userId, sessionId);
    if (sessionId !== null && ended === 0) throw notFound();
    return { userId, ended };
  };
