import type { Actor, Division, User } from '../../../packages/domain/src/index.ts';
import { Difference, requireSame } from './difference.ts';
import {
  divisionState,
  isRevisionOf,
  type Model,
  type ModelDivision,
  type ModelUser,
  userState,
} from './model/state.ts';

const fieldsOf = (user: ModelUser | User, divisionId: string) => [
  user.id,
  user.username,
  user.email,
  user.firstName,
  divisionId,
  user.groups.join(),
  user.isActive,
  user.isStaff,
  user.isSuperuser,
];

/** Compares a user with the model, including the revision. @throws Difference. */
export const requireUser = (model: Model, actual: User | null, expected: ModelUser | undefined): void => {
  requireSame(
    'a user',
    actual && fieldsOf(actual, actual.division.id),
    expected ? fieldsOf(expected, expected.divisionId) : null,
  );
  if (!actual || !expected) return;
  requireSame('the division of a user', actual.division.name, model.divisions.get(expected.divisionId)?.name);
  if (!isRevisionOf(model, actual.id, actual.revision, userState(model, expected))) {
    throw new Difference(`revision ${actual.revision} identifies two states, or a state has two revisions`);
  }
};

/** Compares a division with the model, including the revision. @throws Difference. */
export const requireDivision = (model: Model, actual: Division | null, expected: ModelDivision | undefined): void => {
  requireSame(
    'a division',
    actual && [actual.id, actual.name, actual.logo],
    expected ? [expected.id, expected.name, expected.logo] : null,
  );
  if (actual && expected && !isRevisionOf(model, actual.id, actual.revision, divisionState(expected))) {
    throw new Difference(`revision ${actual.revision} identifies two states, or a state has two revisions`);
  }
};

const rightsOf = (actor: Actor | ModelUser) => [
  actor.id,
  actor.username,
  actor.divisionId,
  actor.groups.join(),
  actor.isActive,
  actor.isStaff,
  actor.isSuperuser,
];

/** Compares the rights of an actor with the model. @throws Difference. */
export const requireActor = (actual: Actor | null, expected: ModelUser | undefined): void =>
  requireSame('a caller', actual && rightsOf(actual), expected ? rightsOf(expected) : null);
