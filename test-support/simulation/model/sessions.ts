import type { NewSession, PasswordHash, Rotation, SessionId, UserId } from '../../../packages/domain/src/index.ts';
import type { Model, ModelUser } from './state.ts';

const SECOND = 1000;
/** Contract, section 6: a consumed token may be presented again for 10 s, up to 5 times. */
const REPEATS_FOR = 10 * SECOND;
const REPEATS = 5;
/** Contract, section 6, in seconds. */
const REFRESH_TOKEN_TTL = 14 * 24 * 60 * 60;
/** A value of the setting that is shorter than its default, in seconds, so that histories reach the end of a session. */
export const SESSION_TTL = 20 * 24 * 60 * 60;

/** Whether a session has neither been ended nor expired. */
const isAlive = ({ sessions }: Model, id: SessionId, now: number): boolean => {
  const session = sessions.get(id);
  return session !== undefined && session.endsAt > now && session.tokensUntil > now;
};

/** The user that an access token of a session stands for at this moment. */
export const callerOf = (model: Model, userId: UserId, sessionId: SessionId, now: number): ModelUser | undefined => {
  const user = model.users.get(userId);
  const isOwn = model.sessions.get(sessionId)?.userId === userId;
  return user?.isActive && isOwn && isAlive(model, sessionId, now) ? user : undefined;
};

/** Whether a session starts: the user is active, and the hash that was checked is still stored. */
export const startSession = (
  model: Model,
  { id, userId, digest }: NewSession,
  checked: PasswordHash,
  now: number,
): boolean => {
  const user = model.users.get(userId);
  if (!user?.isActive || user.hash !== checked) return false;
  const expiresAt = now + Math.min(REFRESH_TOKEN_TTL, SESSION_TTL) * SECOND;
  model.sessions.set(id, { userId, endsAt: now + SESSION_TTL * SECOND, tokensUntil: expiresAt });
  model.owners.set(id, userId);
  model.tokens.set(digest, { sessionId: id, siblings: { consumedAt: null, next: null, issued: 0 }, expiresAt });
  return true;
};

/** The session of a refresh token that is accepted and consumed, or undefined where it is refused. */
export const refresh = (model: Model, { digest, nextDigest }: Rotation, now: number): SessionId | undefined => {
  const token = model.tokens.get(digest);
  const session = token && model.sessions.get(token.sessionId);
  if (!token || !session || token.expiresAt <= now || session.endsAt <= now) return undefined;
  const { siblings, sessionId } = token;
  const { consumedAt } = siblings;
  if (consumedAt !== null && (now - consumedAt > REPEATS_FOR || siblings.issued > REPEATS)) {
    model.sessions.delete(sessionId);
    return undefined;
  }
  siblings.consumedAt ??= now;
  siblings.next ??= { consumedAt: null, next: null, issued: 0 };
  siblings.issued += 1;
  const expiresAt = Math.min(now + REFRESH_TOKEN_TTL * SECOND, session.endsAt);
  session.tokensUntil = Math.max(session.tokensUntil, expiresAt);
  model.tokens.set(nextDigest, { sessionId, siblings: siblings.next, expiresAt });
  return sessionId;
};

/** Ends the session of a refresh token. */
export const endSession = (model: Model, digest: string): void => {
  const token = model.tokens.get(digest);
  if (token) model.sessions.delete(token.sessionId);
};

/** The ids of a user's sessions that have neither been ended nor expired, in the order of the ids. */
export const activeSessionsOf = (model: Model, userId: UserId, now: number): readonly SessionId[] =>
  [...model.sessions.keys()]
    .filter((id) => model.sessions.get(id)?.userId === userId && isAlive(model, id, now))
    .toSorted();

/** Ends an active session, of any user unless an owner is given, and returns its user; null where there is none. */
export const endOneSession = (model: Model, id: SessionId, owner: UserId | null, now: number): UserId | null => {
  const userId = model.sessions.get(id)?.userId;
  if (userId === undefined || !isAlive(model, id, now) || (owner ?? userId) !== userId) return null;
  model.sessions.delete(id);
  return userId;
};
