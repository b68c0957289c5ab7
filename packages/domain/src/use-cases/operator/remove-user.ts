import type { Author, UserId } from '../../model/user.ts';
import type { UserRepository } from '../../ports/user-repository.ts';
import { type Forceable, requireLeaderRemains } from '../steps/keep-leader.ts';

/**
 * Deletes a user of any division and ends their sessions. For the operator only.
 *
 * @throws DomainError `not_found`; `last_leader` unless forced.
 */
export const makeRemoveUser =
  ({ users }: { users: UserRepository }) =>
  (author: Author, id: UserId, options: Forceable = {}): Promise<void> =>
    users.delete(author, id, (locked) => requireLeaderRemains(locked, null, options));
