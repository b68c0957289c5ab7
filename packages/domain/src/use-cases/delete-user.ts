import { type Actor, authorOf } from '../actor.ts';
import type { Ask } from '../ask.ts';
import { authorize } from '../authorize.ts';
import { lastLeader } from '../errors.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { requireRevision } from '../precondition.ts';
import type { SentChanges } from '../sent-changes.ts';
import { asTarget } from '../targets.ts';
import type { UserId } from '../user.ts';

/**
 * Deletes a user and ends their sessions.
 *
 * @throws DomainError by {@link authorize}; `precondition_failed`, `last_leader`.
 */
export const makeDeleteUser =
  ({ users }: { users: UserRepository }) =>
  async (actor: Actor, id: UserId, ask: Ask<Pick<SentChanges, 'revisions'>>): Promise<void> => {
    const found = await users.find(id);
    authorize(actor, 'deleteUser', found && asTarget(found));
    const { revisions } = await ask();
    await users.delete(authorOf(actor), id, ({ actor: present, user, isLastLeader }) => {
      authorize(present, 'deleteUser', asTarget(user));
      requireRevision(user.revision, revisions);
      if (isLastLeader) throw lastLeader();
    });
  };

/** See {@link makeDeleteUser}. */
export type DeleteUserUseCase = ReturnType<typeof makeDeleteUser>;
