import { isActiveLeader, type User } from '@chapter/domain';
import type { Transaction } from '../connection/transaction.ts';

const LOCK_DIVISION = { name: 'lock-leaders', text: 'select from division where id = $1 for no key update' };
const OTHER_LEADER = {
  name: 'find-other-leader',
  text: `select from user_account where division_id = $1 and is_active and groups @> '{Leader}' and id <> $2 limit 1`,
};

/**
 * Whether a division has no active Leader but this user. Whoever may take a Leader away waits here for the others who
 * may, and looks only then: of two Leaders who leave at once, the second sees that the first is gone.
 */
export const isLastLeader = async (tx: Transaction, user: User): Promise<boolean> => {
  if (!isActiveLeader(user)) return false;
  await tx.query(LOCK_DIVISION, [user.division.id]);
  return (await tx.query(OTHER_LEADER, [user.division.id, user.id])).length === 0;
};
