import type { SentFields } from '../fields/field-check.ts';
import { type DomainError, readOnlyToken, sessionRequired } from '../model/errors.ts';
import { type Caller, isOperator } from '../model/user.ts';
import type { Action } from './authorize.ts';

/** The actions that need a session: a personal access token never performs them, even if its user may. Contract §11. */
export const sessionActions: readonly string[] = Object.freeze([
  'listOwnSessions',
  'endOwnSession',
  'createPasswordLink',
  'createAccessToken',
  'listAccessTokens',
  'endAccessToken',
] satisfies Action[]);

/** The actions that change nothing, the only ones of a read-only personal access token. */
export const readingActions: readonly string[] = Object.freeze([
  'listUsers',
  'getUser',
  'listDivisions',
  'getDivision',
  'listDivisionUsers',
  'listGroups',
  'getInfo',
  'getOwnUser',
  'getPermissions',
  'getDivisionStatistics',
  'listChanges',
] satisfies Action[]);

/**
 * Returns the error `session_required` or `read_only_token` if the caller's credential does not suffice for an action,
 * or for a change of these fields of a user; else null. Sessions and the operator have no such limits. It says nothing
 * about rights, which {@link authorize} checks.
 */
export const credentialRefusal = (caller: Caller, action: string, fields: SentFields = {}): DomainError | null => {
  const token = isOperator(caller) ? undefined : caller.token;
  if (!token) return null;
  const setsPassword = action === 'updateUser' && Object.hasOwn(fields, 'password');
  if (setsPassword || sessionActions.includes(action)) return sessionRequired();
  return token.isReadOnly && !readingActions.includes(action) ? readOnlyToken() : null;
};

/** Throws if {@link credentialRefusal} returns an error. @throws DomainError `session_required`, `read_only_token`. */
export const authorizeCredential = (...request: Parameters<typeof credentialRefusal>): void => {
  const refusal = credentialRefusal(...request);
  if (refusal) throw refusal;
};
