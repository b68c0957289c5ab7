import {
  type DivisionId,
  movedDivision,
  notFound,
  type User,
  type UserId,
  type UserRepository,
  userDifferences,
} from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, pickParameters } from '../connection/statement.ts';
import type { InTransaction } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import { leadershipOf, lockActorAndTarget } from './lock.ts';
import { lockDivisionOfMember } from './lock-division.ts';
import { VOID_LINK } from './password-link-statements.ts';
import { type UserColumns, userColumns, userRevision, WRITTEN_USER_COLUMNS } from './user-rows.ts';

const MOVE = defineStatement('move-user', (user: Parameters<UserColumns & { id: UserId; division_id: DivisionId }>) =>
  db
    .updateTable('user_account')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .set(pickParameters(user, ['division_id', ...WRITTEN_USER_COLUMNS]))
    .where('id', '=', user.id),
);

/** Makes the move of a user: decides on locked rows, then writes the row and the audit entry in one transaction. */
export const makeUserMove =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['move'] =>
  (author, id, divisionId, change) =>
    inTransaction(async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
      if (!target) throw notFound();
      const { user: before, passwordHash, version } = target;
      // Lock the new division before `leadershipOf` locks the old one, so that waiting for the new one blocks no other move.
      const { division, nameVersion } = await lockDivisionOfMember(tx, divisionId);
      const locked = { actor, user: before, passwordHash, ...(await leadershipOf(tx, before)) };
      const { dateJoined } = before;
      const after: User = {
        ...change(locked, division),
        id,
        division,
        dateJoined,
        revision: userRevision(version + 1, nameVersion),
      };
      writeAudit(tx, author, {
        action: 'moveUser',
        targetType: 'user',
        targetId: id,
        divisionId,
        changes: { ...userDifferences(before, after), ...movedDivision(before.division, division) },
      });
      MOVE.send(tx, { ...userColumns(after), id, division_id: divisionId });
      VOID_LINK.send(tx, { userId: id });
      return after;
    });
