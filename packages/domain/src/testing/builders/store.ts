import { DIVISION_FIELDS, NEW_DIVISION_DEFAULTS } from '../../fields/division-fields.ts';
import { USER_FIELDS } from '../../fields/user-fields.ts';
import type { Division, DivisionId } from '../../model/division.ts';
import { taken } from '../../model/errors.ts';
import { pick } from '../../model/pick.ts';
import { type Author, type NewUser, OPERATOR, type PasswordHash, type User, type UserId } from '../../model/user.ts';
import { decideDivisionUpdate } from '../../writes/division-writes.ts';
import {
  decideDeletion,
  decideMove,
  decideUpdate,
  type LockedUser,
  type UserUpdate,
  type UserWrite,
} from '../../writes/user-writes.ts';
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

/** Decides a change as the operator. */
export const decideChange = (locked: LockedUser, update: Omit<UserUpdate, 'fields'>): UserWrite | 'unchanged' =>
  decideUpdate(OPERATOR, locked, { fields: {}, ...update });

/** Changes a stored user without any rule of a caller, by default as the operator. */
export const changeUser = (
  { users }: Pick<World, 'users'>,
  id: UserId,
  values: Partial<User>,
  { author = OPERATOR, passwordHash }: { readonly author?: Author; readonly passwordHash?: PasswordHash } = {},
): Promise<User> =>
  users.write(author, { id }, (locked) => decideChange(locked, { values, passwordHash, force: true }));

/** Moves a stored user to another division as the operator. */
export const moveUser = (
  { users }: Pick<World, 'users'>,
  id: UserId,
  divisionId: DivisionId,
  values: Partial<User> = {},
): Promise<User> =>
  users.write(OPERATOR, { id, divisionId }, (locked) => decideMove(OPERATOR, locked, { values, force: true }));

/** Deletes a stored user, by default as the operator. */
export const deleteUser = ({ users }: Pick<World, 'users'>, id: UserId, author: Author = OPERATOR): Promise<User> =>
  users.write(author, { id }, (locked) => decideDeletion(OPERATOR, locked, { force: true }));

/** Changes a stored division, by default as the operator. */
export const changeDivision = (
  { divisions }: Pick<World, 'divisions'>,
  id: DivisionId,
  values: Partial<Division>,
  author: Author = OPERATOR,
): Promise<Division> => divisions.update(author, id, (locked) => decideDivisionUpdate(OPERATOR, locked, { values }));
