import type {
  NewSession,
  PasswordHash,
  Rotation,
  SessionId,
  UserId,
} from '../../../../packages/domain/src/ports/index.ts';
import type { Model, ModelUser } from './state.ts';

const SECOND_MS = 1000;
/** A consumed token is accepted again for 10 s, up to 5 times (contract §6). */
const GRACE_MS = 10 * SECOND_MS;
const MAX_REPEATS = 5;
/** In seconds (contract §6). */
const REFRESH_TOKEN_TTL = 14 * 24 * 60 * 60;
/** In seconds. Shorter than the default, so that histories reach the end of a session. */
export const SESSION_TTL = 20 * 24 * 60 * 60;

/** Returns whether a session is neither ended nor expired. */
const isAlive = ({ sessions }: Model, id: SessionId, now: number): boolean => {
  const session = sessions.get(id);
  return session !== undefined && session.endsAt > now && session.tokensUntil > now;
};

/** Returns the user of an access token at this moment; undefined if the token is not accepted. */
export const callerOf = (model: Model, userId: UserId, sessionId: SessionId, now: number): ModelUser | undefined => {
  const user = model.users.get(userId);
  const isOwn = model.sessions.get(sessionId)?.userId === userId;
  return user?.isActive && isOwn && isAlive(model, sessionId, now) ? user : undefined;
};

/** Starts a session if the user is active and the checked hash is still stored. Returns whether it starts. */
export const startModelSession = (
  model: Model,
  { id, userId, digest }: NewSession,
  checked: PasswordHash,
  now: number,
): boolean => {
  const user = model.users.get(userId);
  if (!user?.isActive || user.hash !== checked) return false;
  const expiresAt = now + Math.min(REFRESH_TOKEN_TTL, SESSION_TTL) * SECOND_MS;
  model.sessions.set(id, { userId, endsAt: now + SESSION_TTL * SECOND_MS, tokensUntil: expiresAt });
  model.owners.set(id, userId);
  model.tokens.set(digest, { sessionId: id, siblings: { consumedAt: null, next: null, issued: 0 }, expiresAt });
  return true;
};

/** Consumes a refresh token and returns its session; undefined if the token is refused. */
export const refresh = (model: Model, { digest, nextDigest }: Rotation, now: number): SessionId | undefined => {
  const token = model.tokens.get(digest);
  const session = token && model.sessions.get(token.sessionId);
  if (!token || !session || session.endsAt <= now) return undefined;
  const { siblings, sessionId } = token;
  const { consumedAt } = siblings;
  if (consumedAt !== null && (now - consumedAt > GRACE_MS || siblings.issued > MAX_REPEATS)) {
    model.sessions.delete(sessionId);
    return undefined;
  }
  if (token.expiresAt <= now) return undefined;
  siblings.consumedAt ??= now;
  siblings.next ??= { consumedAt: null, next: null, issued: 0 };
  siblings.issued += 1;
  const expiresAt = Math.min(now + REFRESH_TOKEN_TTL * SECOND_MS, session.endsAt);
  session.tokensUntil = Math.max(session.tokensUntil, expiresAt);
  model.tokens.set(nextDigest, { sessionId, siblings: siblings.next, expiresAt });
  return sessionId;
};

/** Ends the session of a refresh token. */
export const endSession = (model: Model, digest: string): void => {
  const token = model.tokens.get(digest);
  if (token) model.sessions.delete(token.sessionId);
};

/** Returns the ids of a user's active sessions in ascending order. */
export const modelSessionsOf = (model: Model, userId: UserId, now: number): readonly SessionId[] =>
  [...model.sessions.keys()]
    .filter((id) => model.sessions.get(id)?.userId === userId && isAlive(model, id, now))
    .toSorted();

/** Ends an active session of its owner. Returns whether there was one. */
export const endOneSession = (model: Model, id: SessionId, owner: UserId, now: number): boolean => {
  const isOwn = model.sessions.get(id)?.userId === owner && isAlive(model, id, now);
  if (isOwn) model.sessions.delete(id);
  return isOwn;
};
