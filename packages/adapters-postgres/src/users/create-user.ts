import {
  type Author,
  type Clock,
  type IdempotentCreation,
  type NewUser,
  notFound,
  parseUuid,
  type User,
  type UserRepository,
  userDifferences,
} from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { queued, sharedLock } from '../connection/advisory-locks.ts';
import type { InTransaction, Transaction } from '../connection/transaction.ts';
import { UserEntity } from '../schema/entities/user-entity.ts';
import { userRevision } from '../schema/rows.ts';
import { lockActor } from './lock.ts';
import { claimKey } from './once.ts';
import { userColumns } from './user-columns.ts';

const FIND_DIVISION = {
  name: 'find-division-of-new-user',
  text: queued(
    [sharedLock('division', '$1')],
    'select d.name, d.name_version from queued, division d where d.id = $1 for key share of d',
  ),
};

const answerOf = async (tx: Transaction, { divisionId, ...user }: Omit<NewUser, 'passwordHash'>): Promise<User> => {
  if (parseUuid(divisionId) === undefined) throw notFound();
  const [division] = await tx.query<readonly [name: string, nameVersion: number]>(FIND_DIVISION, [divisionId]);
  if (!division) throw notFound();
  const [name, nameVersion] = division;
  return {
    ...user,
    division: { id: divisionId, name },
    revision: userRevision(1, nameVersion),
  };
};

/** See `UserRepository.create`. */
export const makeCreateUser =
  (inTransaction: InTransaction, writeAudit: WriteAudit, clock: Clock): UserRepository['create'] =>
  (author: Author, user: NewUser, permit, once?: IdempotentCreation) =>
    inTransaction(async (tx) => {
      permit(await lockActor(tx, author.userId));
      const { passwordHash, ...shown } = user;
      const answer = await answerOf(tx, shown);
      const earlier = once && (await claimKey(tx, author, once, { user: answer, passwordHash }, clock.now()));
      if (earlier) return { earlier };
      const { id, divisionId: division, dateJoined } = user;
      tx.em.persist(
        tx.em.create(UserEntity, { id, ...userColumns(user), division, dateJoined, passwordHash, version: 1 }),
      );
      const changes = userDifferences(null, answer, { passwordChanged: passwordHash !== null });
      writeAudit(tx, author, {
        action: 'createUser',
        targetType: 'user',
        targetId: id,
        divisionId: division,
        changes,
      });
      await tx.em.flush();
      return { user: answer };
    });
