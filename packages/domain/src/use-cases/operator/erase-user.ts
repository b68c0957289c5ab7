import type { Author, UserId } from '../../model/user.ts';
import type { ErasedData, Erasure } from '../../ports/erasure.ts';
import { type Forceable, requireLeaderRemains } from '../../writes/user-writes.ts';

/**
 * Erases a user, even a deleted one: removes all their stored values. For the operator only.
 *
 * @throws DomainError `not_found`; `last_leader` unless forced.
 */
export const makeEraseUser =
  ({ erasure }: { erasure: Erasure }) =>
  (author: Author, userId: UserId, options: Forceable = {}): Promise<ErasedData> =>
    erasure.eraseUser(author, userId, (locked) => {
      if (locked) requireLeaderRemains(locked, null, options);
    });
