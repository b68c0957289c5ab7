import { authorOf, type UserId } from '../model/user.ts';
import { authorizedUser } from '../policy/authorize.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { decideDeletion } from '../writes/user-writes.ts';
import { callerAndTarget, type PendingCaller } from './steps/authenticate.ts';
import type { ReadInput, SentChanges } from './steps/changes.ts';

/**
 * Deletes a user and ends their sessions.
 *
 * @throws DomainError like `authorize`; `precondition_failed`, `last_leader`.
 */
export const makeDeleteUser =
  ({ users }: { users: UserRepository }) =>
  async (pending: PendingCaller, id: UserId, readInput: ReadInput<Omit<SentChanges, 'fields'>>): Promise<void> => {
    const [caller, found] = await callerAndTarget(pending, users.find(id));
    authorizedUser(caller, 'deleteUser', found);
    const { revisions, force } = await readInput();
    await users.write(authorOf(caller), { id }, (locked) => decideDeletion(caller, locked, { revisions, force }));
  };
