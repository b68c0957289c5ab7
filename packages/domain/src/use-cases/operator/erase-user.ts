import type { Author, UserId } from '../../model/user.ts';
import type { ErasedData, Erasure } from '../../ports/erasure.ts';
import { type Forceable, requireLeaderRemains } from '../steps/keep-leader.ts';

/**
 * Erases a user, present or deleted: no value of the user remains stored. For the operator only.
 *
 * @throws DomainError `not_found`; `last_leader` unless forced.
 */
export const makeEraseUser =
  ({ erasure }: { erasure: Erasure }) =>
  (author: Author, userId: UserId, options: Forceable = {}): Promise<ErasedData> =>
    erasure.eraseUser(author, userId, (locked) => {
      if (locked) requireLeaderRemains(locked, null, options);
    });
