import type { Author, UserId } from '../../model/user.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { decideRemoval, type Forceable } from '../../writes/user-writes.ts';

/**
 * Deletes a user of any division and ends their sessions. For the operator only.
 *
 * @throws DomainError `not_found`; `last_leader` unless forced.
 */
export const makeRemoveUser =
  ({ users }: { users: UserRepository }) =>
  async (author: Author, id: UserId, options: Forceable = {}): Promise<void> => {
    await users.write(author, { id }, (locked) => decideRemoval(locked, options));
  };
