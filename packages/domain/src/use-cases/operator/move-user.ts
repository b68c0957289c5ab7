import { checkFields, refuseFaults } from '../../fields/field-check.ts';
import { userFields } from '../../fields/user-fields.ts';
import type { DivisionId } from '../../model/division.ts';
import type { Author, User, UserId } from '../../model/user.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { decideMove, type Forceable } from '../../writes/user-writes.ts';

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
    const { values, faults } = checkFields(CHECKS, { fields: { groups: options.groups ?? userFields.groups.default } });
    refuseFaults(faults);
    const move = { values, force: options.force };
    return users.write(author, { id, divisionId }, (locked) => decideMove(locked, move));
  };
