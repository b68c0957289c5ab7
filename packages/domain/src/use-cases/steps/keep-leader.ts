import { lastLeader } from '../../model/errors.ts';
import { isActiveLeader, type User } from '../../model/user.ts';
import type { LockedUser } from '../../ports/user-change.ts';

/** An option of the operator's commands that change or delete users. */
export interface Forceable {
  /** Whether the command may leave a division that has members without an active Leader. False by default. */
  readonly force?: boolean;
}

/**
 * Refuses to leave a division that has members without an active Leader, unless forced. `after` is the changed user, or null
 * for a deletion. Call it with the locked user in the writing transaction. A division that has no active Leader before the
 * command refuses nothing. See contract §10.
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
