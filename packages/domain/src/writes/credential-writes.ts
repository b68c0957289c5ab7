import { type AuditedAction, userAudit } from '../model/audit-entry.ts';
import { forbidden, invalidToken, tooManyTokens } from '../model/errors.ts';
import { type NewPersonalToken, PERSONAL_TOKEN_RULES, type PersonalToken } from '../model/personal-token.ts';
import type { SessionId } from '../model/session.ts';
import { type Caller, isOperator, type User } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import { asTarget } from '../policy/targets.ts';
import { presentCaller } from './rules.ts';
import type { LockedUser } from './user-writes.ts';

/** The locked author and user of a token. */
export type LockedOwner = Pick<LockedUser, 'actor' | 'user'>;

/** The locked author and user of a token to create, the number of the user's tokens and their active sessions' ids. */
export interface TokenCreation extends LockedOwner {
  /** The number of tokens that the user has. */
  readonly count: number;
  readonly sessions: readonly SessionId[];
}

/** Requires that a user may have personal access tokens. @throws DomainError `forbidden` for an inactive user. */
export const requireTokenOwner = ({ isActive }: User): void => {
  if (!isActive) throw forbidden('an inactive user cannot have personal access tokens');
};

/**
 * Decides the creation of a personal access token for a locked user who has `count` of them. Returns its audit entry.
 *
 * @throws DomainError like {@link authorize} and {@link requireTokenOwner}; `invalid_token` if the caller's session has ended;
 *   `too_many_tokens`.
 */
export const decideTokenCreation = (
  caller: Caller,
  { actor, count, sessions, user }: TokenCreation,
  { expiresAt, id, isReadOnly, name }: NewPersonalToken,
): AuditedAction => {
  authorize(presentCaller(caller, actor), 'createAccessToken', asTarget(user));
  const sessionId = isOperator(caller) ? undefined : caller.sessionId;
  if (sessionId !== undefined && !sessions.includes(sessionId)) throw invalidToken();
  requireTokenOwner(user);
  if (count >= PERSONAL_TOKEN_RULES.maxPerUser) throw tooManyTokens(PERSONAL_TOKEN_RULES.maxPerUser);
  return userAudit('createAccessToken', user, {
    token: { old: null, new: id },
    tokenName: { old: null, new: name },
    readOnly: { old: null, new: isReadOnly },
    expiresAt: { old: null, new: expiresAt },
  });
};

/** Decides the end of a locked user's token, and returns its audit entry. @throws DomainError like {@link authorize}. */
export const decideTokenEnd = (
  caller: Caller,
  { actor, token, user }: LockedOwner & { readonly token: Pick<PersonalToken, 'id' | 'name'> },
): AuditedAction => {
  authorize(presentCaller(caller, actor), 'endAccessToken', asTarget(user));
  return userAudit('endAccessToken', user, {
    token: { old: token.id, new: null },
    tokenName: { old: token.name, new: null },
  });
};

/** Returns the audit entry of sessions that a caller ended: one by its id, or all. Null if none was active. */
export const endedSessions = (user: User, sessionId: SessionId | null, count: number): AuditedAction | null => {
  if (count === 0) return null;
  const changes =
    sessionId === null ? { sessions: { old: count, new: 0 } } : { session: { old: sessionId, new: null } };
  return userAudit('endSessions', user, changes);
};

/** Returns the audit entry of failed attempts to log in that a caller cleared. Null if there were none. */
export const unlockedUser = (user: User, failures: number): AuditedAction | null =>
  failures === 0 ? null : userAudit('unlockUser', user, { failedLogins: { old: failures, new: 0 } });
