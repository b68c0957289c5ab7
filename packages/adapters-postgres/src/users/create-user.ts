import {
  type Author,
  actorOf,
  decideCreation,
  foldCase,
  type IdempotentCreation,
  type NewUser,
  taken,
  type UserRepository,
} from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { type InTransaction, rowsOf } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import { applyUserWrite } from './apply-write.ts';
import { claimIdempotencyKey, findPriorCreation } from './idempotency-key.ts';
import { lockActor } from './lock.ts';
import { lockDivisionOfMember } from './lock-division.ts';
import { type UserColumns, userRevision } from './user-rows.ts';

const FIND_TAKEN_NAMES = defineStatement(
  'find-taken-names',
  (value: Parameters<Pick<UserColumns, 'username_key' | 'email_key'>>) =>
    db.selectNoFrom((eb) => [
      eb.exists(eb.selectFrom('user_account').where('username_key', '=', value('username_key'))).as('username'),
      eb.exists(eb.selectFrom('user_account').where('email_key', '=', value('email_key'))).as('email'),
    ]),
  { columns: ['username', 'email'] },
);

/** Makes the check of a creation. `find` reads a user. */
export const makeCreationCheck =
  (runner: Runner, find: UserRepository['find']): UserRepository['checkCreation'] =>
  async (author, { username, email }, permit, creation) => {
    const found = author.userId === null ? null : await find(author.userId);
    permit(found && actorOf(found));
    const [row] = await FIND_TAKEN_NAMES.run(runner, {
      username_key: foldCase(username),
      email_key: email === null ? null : foldCase(email),
    });
    // Looked up after the names, which another instance may take for the same key in between.
    const prior = creation ? await findPriorCreation(runner, author, creation.key) : null;
    if (prior) return prior;
    if (row?.[0]) throw taken('username');
    if (row?.[1]) throw taken('email');
    return null;
  };

/** Makes the creation of users. The user, the audit entry and the idempotency key are written in one transaction. */
export const makeUserCreation =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['create'] =>
  (author: Author, newUser: NewUser, permit, creation?: IdempotentCreation) =>
    inTransaction(rowsOf(author, newUser.divisionId), async (tx) => {
      permit(await lockActor(tx, author.userId));
      const { division, nameVersion } = await lockDivisionOfMember(tx, newUser.divisionId);
      const write = decideCreation(newUser, division);
      const user = { ...write.user, revision: userRevision(1, nameVersion) };
      const created = { user, passwordHash: newUser.passwordHash };
      const prior = creation && (await claimIdempotencyKey(tx, author, creation, created));
      if (prior) return { prior };
      applyUserWrite(tx, writeAudit, author, write);
      return { user };
    });
