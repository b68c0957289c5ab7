import { authorOf, type Caller, type UserId } from '../model/user.ts';
import { authorize } from '../policy/authorize.ts';
import { asPerson } from '../policy/targets.ts';
import type { ErasedData, Erasure } from '../ports/erasure.ts';
import type { UserRepository } from '../ports/user-repository.ts';
import { type Forceable, requireErasable } from '../writes/user-writes.ts';

/**
 * Erases a user, even a deleted one: removes all their stored values.
 *
 * @throws DomainError like {@link authorize}; `not_found`; `last_leader` unless forced.
 */
export const makeEraseUser =
  ({ erasure, users }: { erasure: Erasure; users: UserRepository }) =>
  async (caller: Caller, id: UserId, options: Forceable = {}): Promise<ErasedData> => {
    authorize(caller, 'eraseUser', asPerson(id, await users.find(id)));
    return erasure.eraseUser(authorOf(caller), id, (locked) => {
      if (locked) requireErasable(caller, locked, options);
    });
  };
