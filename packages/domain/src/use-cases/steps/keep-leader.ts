import { lastLeader } from '../../model/errors.ts';
import { isActiveLeader, type User } from '../../model/user.ts';
import type { LockedUser } from '../../ports/user-change.ts';

/** An option of the operator's use cases that change or delete users. */
export interface Forceable {
  /** Allows a change after which a division has members but no active Leader. False by default. */
  readonly force?: boolean;
}

/**
 * Refuses a change after which a division would have members but no active Leader, unless forced. `after` is the changed
 * user, or null for a deletion. Allows every change in a division that already has no active Leader. Call this with the
 * locked user in the writing transaction. See contract §10.
 *
 * @throws DomainError `last_leader`.
 */
export const requireLeaderRemains = (
  { user, isLastLeader, leadsOthersAlone }: Pick<LockedUser, 'user' | 'isLastLeader' | 'leadsOthersAlone'>,
  after: User | null,
  { force = false }: Forceable = {},
): void => {
  if (force) return;
  const staysMember = after !== null && after.division.id === user.division.id;
  const leavesNoLeader = staysMember ? isLastLeader && !isActiveLeader(after) : leadsOthersAlone;
  if (leavesNoLeader) throw lastLeader();
};
