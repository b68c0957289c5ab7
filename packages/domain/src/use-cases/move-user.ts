import { checkFields, refuseFaults } from '../fields/field-check.ts';
import { userFields } from '../fields/user-fields.ts';
import type { DivisionId } from '../model/division.ts';
import { authorOf, type Caller, type User, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { decideMove, type Forceable } from '../writes/user-writes.ts';

const CHECKS = { groups: userFields.groups.check() };

/**
 * Moves a user to another division. Sessions stay; a password link becomes void. By default, the user is only in the group `User`,
 * so that a moved Leader does not lead the new division. See contract §10.
 *
 * @throws DomainError like `authorize`; `not_found` for an unknown division, `forbidden` if the user already belongs to
 *   the division, `validation_failed`; `last_leader` unless forced.
 */
export const makeMoveUser =
  ({ users }: { users: UserRepository }) =>
  async (
    caller: Caller,
    id: UserId,
    divisionId: DivisionId,
    options: Forceable & { readonly groups?: readonly string[] } = {},
  ): Promise<User> => {
    authorizedUser(caller, 'moveUser', await users.find(id));
    const { groups = userFields.groups.default, force } = options;
    const { values, faults } = checkFields(CHECKS, { fields: { groups } });
    refuseFaults(faults);
    return users.write(authorOf(caller), { id, divisionId }, (locked) => decideMove(caller, locked, { values, force }));
  };
