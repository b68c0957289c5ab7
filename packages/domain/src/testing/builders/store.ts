import { DIVISION_FIELDS, NEW_DIVISION_DEFAULTS } from '../../fields/division-fields.ts';
import { USER_FIELDS } from '../../fields/user-checks.ts';
import type { Division } from '../../model/division.ts';
import { taken } from '../../model/errors.ts';
import { pick } from '../../model/pick.ts';
import { type NewUser, OPERATOR, type PasswordHash, type User } from '../../model/user.ts';
import type { World } from '../in-memory/world.ts';

/** Converts a built user to the argument of a creation. */
export const asNewUser = (user: User, passwordHash: PasswordHash | null = null): NewUser => {
  const { division, ...fields } = pick(user, USER_FIELDS);
  return { ...fields, divisionId: division.id, passwordHash };
};

/** Stores a built division as the operator, and returns the stored division. */
export const storeDivision = ({ divisions }: Pick<World, 'divisions'>, division: Division): Promise<Division> =>
  divisions.create(OPERATOR, pick(division, DIVISION_FIELDS));

/** Stores a built user as the operator, and returns the stored user. Stores their division first if necessary. */
export const storeUser = async (
  world: Pick<World, 'divisions' | 'users'>,
  user: User,
  passwordHash: PasswordHash | null = null,
): Promise<User> => {
  if (!(await world.divisions.find(user.division.id))) {
    await storeDivision(world, { ...NEW_DIVISION_DEFAULTS, ...user.division, revision: '' });
  }
  const result = await world.users.create(OPERATOR, asNewUser(user, passwordHash), () => {});
  // Without an idempotency key, a creation never returns an earlier one.
  if (!('user' in result)) throw taken('username');
  return result.user;
};
