import type { DomainErrorCode } from '../../../packages/domain/src/index.ts';
import { oracle, type Relation } from '../../authorization/oracle.ts';
import type { UserFields } from '../commands.ts';
import type { ModelUser } from './state.ts';

const CODES = {
  allowed: undefined,
  forbidden: 'forbidden',
  not_found: 'not_found',
  unauthenticated: 'invalid_token',
} as const;

const decide = (actor: ModelUser | undefined, action: string, relation: Relation): DomainErrorCode | undefined =>
  actor
    ? CODES[oracle({ ...actor, status: actor.isActive ? 'active' : 'inactive' }, action, relation)]
    : 'invalid_token';

/** How the specification's tables refuse an action on a user; undefined where they allow it. */
export const refusalOnUser = (
  actor: ModelUser | undefined,
  action: 'getUser' | 'updateUser' | 'deleteUser',
  target: ModelUser | undefined,
): DomainErrorCode | undefined => {
  if (!target) return decide(actor, action, 'absent');
  if (actor?.id === target.id) {
    // Moved since their rights were read, they are themself, but lead nothing there.
    return decide(actor.divisionId === target.divisionId ? actor : { ...actor, groups: [] }, action, 'self');
  }
  return decide(actor, action, actor?.divisionId === target.divisionId ? 'same division' : 'other division');
};

/** The same for the change of a division. */
export const refusalOnDivision = (actor: ModelUser | undefined, divisionId: string): DomainErrorCode | undefined =>
  decide(actor, 'updateDivision', actor?.divisionId === divisionId ? 'self' : 'other division');

/** The same for a creation. A division that the caller no longer belongs to is one that only Administrators know of. */
export const refusalOfCreation = (actor: ModelUser | undefined, divisionId: string): DomainErrorCode | undefined =>
  actor?.isActive && actor.divisionId !== divisionId
    ? refusalOnDivision(actor, divisionId)
    : decide(actor, 'createUser', 'self');

const isAdministrator = ({ isStaff, isSuperuser }: ModelUser): boolean => isStaff || isSuperuser;

/** Whether the caller may not write one of the fields to a user that they may update. Contract, section 3. */
export const isFieldForbidden = (actor: ModelUser, target: ModelUser, fields: UserFields): boolean => {
  const leads = actor.groups.includes('Leader') && actor.divisionId === target.divisionId;
  const mayNotSetPassword = actor.id !== target.id && isAdministrator(target) && !isAdministrator(actor);
  return (!leads && ('groups' in fields || 'isActive' in fields)) || ('password' in fields && mayNotSetPassword);
};
