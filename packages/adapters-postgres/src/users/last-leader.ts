import { type DivisionId, isActiveLeader, type User, type UserId } from '@chapter/domain';
import { sql } from 'kysely';
import { defineStatement, type Parameters } from '../connection/define-statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';

const LOCK_DIVISION = defineStatement(
  'lock-leaders',
  ({ id }: Parameters<{ id: DivisionId }>) => db.selectFrom('division').where('id', '=', id).forNoKeyUpdate(),
  { isReadOnly: true },
);
const OTHER_LEADER = defineStatement(
  'find-other-leader',
  ({ divisionId, except }: Parameters<{ divisionId: DivisionId; except: UserId }>) =>
    db
      .selectFrom('user_account')
      .where('division_id', '=', divisionId)
      .where((eb) => eb.ref('is_active'))
      // In the words of the condition of the index `user_account_active_leader`.
      .where(sql<boolean>`${sql.ref('groups')} @> '{Leader}'`)
      .where('id', '<>', except)
      .limit(sql.lit(1)),
  { isReadOnly: true },
);

/**
 * Whether a division has no active Leader but this user. Whoever may take a Leader away waits here for the others who
 * may, and looks only then: of two Leaders who leave at once, the second sees that the first is gone.
 */
export const isLastLeader = async (tx: Transaction, user: User): Promise<boolean> => {
  if (!isActiveLeader(user)) return false;
  await LOCK_DIVISION.run(tx, { id: user.division.id });
  return (await OTHER_LEADER.run(tx, { divisionId: user.division.id, except: user.id })).length === 0;
};
