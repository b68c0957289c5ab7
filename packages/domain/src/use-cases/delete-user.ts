import { type Actor, authorOf, type UserId } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import { asTarget } from '../policy/rules.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { decideDeletion } from '../writes/user-writes.ts';
import type { ReadInput, SentChanges } from './steps/changes.ts';

/**
 * Deletes a user and ends their sessions.
 *
 * @throws DomainError like {@link authorize}; `precondition_failed`, `last_leader`.
 */
export const makeDeleteUser =
  ({ users }: { users: UserRepository }) =>
  async (actor: Actor, id: UserId, readInput: ReadInput<Pick<SentChanges, 'revisions'>>): Promise<void> => {
    const found = await users.find(id);
    authorize(actor, 'deleteUser', found && asTarget(found));
    const { revisions } = await readInput();
    await users.write(authorOf(actor), { id }, (locked) => decideDeletion(locked, { revisions }));
  };
