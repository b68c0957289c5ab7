import { checkFields, refuseFaults } from '../../fields/field-check.ts';
import { userFields } from '../../fields/user-fields.ts';
import type { DivisionId } from '../../model/division.ts';
import { forbidden } from '../../model/errors.ts';
import type { Author, User, UserId } from '../../model/user.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { type Forceable, requireLeaderRemains } from '../steps/keep-leader.ts';

/** Options of a move. */
export interface MoveOptions extends Forceable {
  /** The groups in the new division; by default only `User`, so that a moved Leader does not lead the new division. */
  readonly groups?: readonly string[];
}

const CHECKS = { groups: userFields.groups.check() };

/**
 * Moves a user to another division. For the operator only. Sessions stay; a password link becomes void. See contract §10.
 *
 * @throws DomainError `not_found` for an unknown user or division, `forbidden` if the user already belongs to the division,
 *   `validation_failed`; `last_leader` unless forced.
 */
export const makeMoveUser =
  ({ users }: { users: UserRepository }) =>
  async (author: Author, id: UserId, divisionId: DivisionId, options: MoveOptions = {}): Promise<User> => {
    const { values, faults } = checkFields(CHECKS, { groups: options.groups ?? userFields.groups.default });
    refuseFaults(faults);
    return users.move(author, id, divisionId, (locked, to) => {
      if (locked.user.division.id === to.id) throw forbidden('the user already belongs to this division');
      const moved = { ...locked.user, ...values, division: to };
      requireLeaderRemains(locked, moved, options);
      return moved;
    });
  };
