import { notFound, type UserRepository, userDifferences } from '@chapter/domain';
import type { WriteAudit } from '../audit-writer.ts';
import { UserEntity } from '../entities/user-entity.ts';
import { toUser, userRevision } from '../rows.ts';
import type { InTransaction, Transaction } from '../transaction.ts';
import { isLastLeader } from './last-leader.ts';
import { type LockedRow, lockActorAndTarget } from './lock.ts';
import { userColumns } from './user-columns.ts';

const END_SESSIONS = { name: 'end-sessions', text: 'delete from session where user_id = $1' };

/** The row as the unit of work keeps it, to find out what will have changed. */
const managed = ({ em }: Transaction, row: LockedRow): UserEntity => em.map(UserEntity, row as object);

/** See `UserRepository.update`. */
export const makeUpdateUser =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['update'] =>
  (author, id, change) =>
    inTransaction(async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
      if (!target) throw notFound();
      const before = toUser(target);
      const stored = {
        actor,
        user: before,
        passwordHash: target.password_hash,
        isLastLeader: await isLastLeader(tx, before),
      };
      const { user: after, passwordHash, endsSessions } = change(stored);
      if (endsSessions) await tx.query(END_SESSIONS, [id]);
      const isNewHash = passwordHash !== undefined && passwordHash !== target.password_hash;
      const changes = userDifferences(before, after, { passwordChanged: isNewHash });
      if (Object.keys(changes).length === 0) return before;
      const entity = managed(tx, target);
      Object.assign(entity, userColumns(after), isNewHash ? { passwordHash } : {});
      writeAudit(tx, author, {
        action: 'updateUser',
        targetType: 'user',
        targetId: id,
        divisionId: before.division.id,
        changes,
      });
      await tx.em.flush();
      const { division, dateJoined } = before;
      return { ...after, id, division, dateJoined, revision: userRevision(entity.version, target.name_version) };
    });

/** See `UserRepository.delete`. */
export const makeDeleteUser =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['delete'] =>
  (author, id, permit) =>
    inTransaction(async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
      if (!target) throw notFound();
      const user = toUser(target);
      permit({ actor, user, passwordHash: target.password_hash, isLastLeader: await isLastLeader(tx, user) });
      tx.em.remove(managed(tx, target));
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
