import {
  type Author,
  type DivisionId,
  type IdempotentCreation,
  type Instant,
  type NewUser,
  type PasswordHash,
  type User,
  type UserId,
  type UserRepository,
  userDifferences,
} from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, pickParameters } from '../connection/statement.ts';
import type { InTransaction, Transaction } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import { claimIdempotencyKey } from './idempotency-key.ts';
import { lockActor } from './lock.ts';
import { lockDivisionOfMember } from './lock-division.ts';
import { type UserColumns, userColumns, userRevision, WRITTEN_USER_COLUMNS } from './user-rows.ts';

const INSERTED_COLUMNS = ['id', 'division_id', 'date_joined', 'password_hash', ...WRITTEN_USER_COLUMNS] as const;

type Inserted = UserColumns & {
  id: UserId;
  division_id: DivisionId;
  date_joined: Instant;
  password_hash: PasswordHash | null;
};

const INSERT_USER = defineStatement('insert-user', (user: Parameters<Inserted>) =>
  db.insertInto('user_account').values(pickParameters(user, INSERTED_COLUMNS)),
);

const prepareUser = async (tx: Transaction, { divisionId, ...user }: Omit<NewUser, 'passwordHash'>): Promise<User> => {
  const { division, nameVersion } = await lockDivisionOfMember(tx, divisionId);
  return { ...user, division, revision: userRevision(1, nameVersion) };
};

/** Makes the creation of users. The user, the audit entry and the idempotency key are written in one transaction. */
export const makeUserCreation =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['create'] =>
  (author: Author, user: NewUser, permit, creation?: IdempotentCreation) =>
    inTransaction(async (tx) => {
      permit(await lockActor(tx, author.userId));
      const { passwordHash, ...withoutHash } = user;
      const created = await prepareUser(tx, withoutHash);
      const prior = creation && (await claimIdempotencyKey(tx, author, creation, { user: created, passwordHash }));
      if (prior) return { prior };
      const { id, divisionId, dateJoined } = user;
      await INSERT_USER.run(tx, {
        ...userColumns(user),
        id,
        division_id: divisionId,
        date_joined: dateJoined,
        password_hash: passwordHash,
      });
      const changes = userDifferences(null, created, { passwordChanged: passwordHash !== null });
      writeAudit(tx, author, {
        action: 'createUser',
        targetType: 'user',
        targetId: id,
        divisionId,
        changes,
      });
      return { user: created };
    });
