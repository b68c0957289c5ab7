import { notFound, type UserRepository, userDifferences } from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import type { InTransaction } from '../connection/transaction.ts';
import { UserEntity } from '../schema/entities/user-entity.ts';
import { userRevision } from '../schema/rows.ts';
import { isLastLeader } from './last-leader.ts';
import { lockActorAndTarget } from './lock.ts';
import { userColumnNames, userColumns } from './user-columns.ts';

const END_SESSIONS = { name: 'end-sessions', text: 'delete from session where user_id = $1' };

const CHANGED = Object.keys(userColumnNames) as (keyof typeof userColumnNames)[];

// Prepared once, it need not find out which fields have changed: the database sees which indexes that concerns.
const CHANGE = {
  name: 'change-user',
  text: `update user_account set version = version + 1, password_hash = $2,
      ${CHANGED.map((name, at) => `${userColumnNames[name]} = $${at + 3}`).join(', ')}
    where id = $1`,
};

/** See `UserRepository.update`. */
export const makeUpdateUser =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['update'] =>
  (author, id, change) =>
    inTransaction(async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
      if (!target) throw notFound();
      const { user: before, passwordHash: oldHash } = target;
      const { user, passwordHash, endsSessions } = change({
        actor,
        user: before,
        passwordHash: oldHash,
        isLastLeader: await isLastLeader(tx, before),
      });
      if (endsSessions) tx.send(END_SESSIONS, [id]);
      const newHash = passwordHash ?? oldHash;
      const changes = userDifferences(before, user, { passwordChanged: newHash !== oldHash });
      if (Object.keys(changes).length === 0) return before;
      const { division, dateJoined } = before;
      writeAudit(tx, author, {
        action: 'updateUser',
        targetType: 'user',
        targetId: id,
        divisionId: division.id,
        changes,
      });
      const columns = userColumns(user);
      tx.send(CHANGE, [id, newHash, ...CHANGED.map((name) => columns[name])]);
      return { ...user, id, division, dateJoined, revision: userRevision(target.version + 1, target.nameVersion) };
    });

/** See `UserRepository.delete`. */
export const makeDeleteUser =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['delete'] =>
  (author, id, permit) =>
    inTransaction(async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
      if (!target) throw notFound();
      const { user } = target;
      permit({ actor, user, passwordHash: target.passwordHash, isLastLeader: await isLastLeader(tx, user) });
      tx.em.remove(tx.em.getReference(UserEntity, id));
      const changes = userDifferences(user, null);
      writeAudit(tx, author, {
        action: 'deleteUser',
        targetType: 'user',
        targetId: id,
        divisionId: user.division.id,
        changes,
      });
      await tx.em.flush();
    });
