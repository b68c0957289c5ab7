import { DIVISION_FIELDS, NEW_DIVISION_DEFAULTS } from '../../fields/division-fields.ts';
import { USER_FIELDS } from '../../fields/user-checks.ts';
import type { Division } from '../../model/division.ts';
import { taken } from '../../model/errors.ts';
import { pick } from '../../model/pick.ts';
import { type NewUser, OPERATOR, type PasswordHash, type User } from '../../model/user.ts';
import type { World } from '../in-memory/world.ts';

/** What a creation stores of a user: the same without what the service adds. */
export const asNewUser = (user: User, passwordHash: PasswordHash | null = null): NewUser => {
  const { division, ...fields } = pick(user, USER_FIELDS);
  return { ...fields, divisionId: division.id, passwordHash };
};

/** Stores a division that was built, as the operator does, and gives what is stored. */
export const storeDivision = ({ divisions }: Pick<World, 'divisions'>, division: Division): Promise<Division> =>
  divisions.create(OPERATOR, pick(division, DIVISION_FIELDS));

/** Stores a user that was built, and first their division where it is not there yet, and gives what is stored. */
export const storeUser = async (
  world: Pick<World, 'divisions' | 'users'>,
  user: User,
  passwordHash: PasswordHash | null = null,
): Promise<User> => {
  if (!(await world.divisions.find(user.division.id))) {
    await storeDivision(world, { ...NEW_DIVISION_DEFAULTS, ...user.division, revision: '' });
  }
  const settled = await world.users.create(OPERATOR, asNewUser(user, passwordHash), () => {});
  // Without a key there is no earlier creation to answer with.
  if (!('user' in settled)) throw taken('username');
  return settled.user;
};
