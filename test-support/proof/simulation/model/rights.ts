import { type DomainErrorCode, snakeCase } from '../../../../packages/domain/src/ports/index.ts';
import type { Body } from '../../bodies.ts';
import { contractOutcome } from '../../decisions.ts';
import type { Relation } from '../../states.ts';
import type { UserFields } from '../commands.ts';
import type { ModelUser } from './state.ts';

const CODES: Readonly<Record<string, DomainErrorCode>> = {
  forbidden: 'forbidden',
  not_found: 'not_found',
  unauthenticated: 'invalid_token',
};

const outcomeOf = (actor: ModelUser, action: string, relation: Relation, target?: ModelUser, body?: Body): string =>
  contractOutcome({ ...actor, status: actor.isActive ? 'active' : 'inactive' }, action, relation, target, body);

const decide = (
  actor: ModelUser | undefined,
  action: string,
  relation: Relation,
  target?: ModelUser,
): DomainErrorCode | undefined => (actor ? CODES[outcomeOf(actor, action, relation, target)] : 'invalid_token');

/** Returns how the policy refuses an action on a user; undefined if it allows the action. */
export const refusalOnUser = (
  actor: ModelUser | undefined,
  action: 'getUser' | 'updateUser' | 'deleteUser' | 'createPasswordLink',
  target: ModelUser | undefined,
): DomainErrorCode | undefined => {
  if (!target) return decide(actor, action, 'absent');
  if (actor?.id === target.id) {
    // Callers who have moved since their rights were read keep the rights on their own account, but not those of their groups.
    return decide(actor.divisionId === target.divisionId ? actor : { ...actor, groups: [] }, action, 'self');
  }
  return decide(actor, action, actor?.divisionId === target.divisionId ? 'same division' : 'other division', target);
};

/** Returns how the policy refuses the change of a division; undefined if it allows it. */
export const refusalOnDivision = (actor: ModelUser | undefined, divisionId: string): DomainErrorCode | undefined =>
  decide(actor, 'updateDivision', actor?.divisionId === divisionId ? 'self' : 'other division');

/** Returns how the policy refuses a creation. A caller who has left the division may know of it only as an Administrator. */
export const refusalOfCreation = (actor: ModelUser | undefined, divisionId: string): DomainErrorCode | undefined =>
  actor?.isActive && actor.divisionId !== divisionId
    ? refusalOnDivision(actor, divisionId)
    : decide(actor, 'createUser', 'self');

/** Returns whether the policy refuses to write one of the fields of a user that the caller may update. */
export const isFieldForbidden = (actor: ModelUser, target: ModelUser, fields: UserFields): boolean => {
  const names = (['groups', 'isActive', 'password'] as const).filter((name) => name in fields);
  const body = Object.fromEntries(names.map((name) => [snakeCase(name), true]));
  const rights = actor.divisionId === target.divisionId ? actor : { ...actor, groups: [] };
  const relation = actor.id === target.id ? 'self' : 'same division';
  return outcomeOf(rights, 'updateUser', relation, target, body).startsWith('field_forbidden');
};
