import { endedSessions, notFound, parseUuid, type User, type UserId, type UserRepository } from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { batched } from '../connection/runner.ts';
import { anyIdOf, defineStatement, type Parameters, type Runner } from '../connection/statement.ts';
import { type InTransaction, rowsOf } from '../connection/transaction.ts';
import type { ReadPage } from '../lists/read-page.ts';
import { applyUserWrite } from './apply-write.ts';
import { makeCreationCheck, makeUserCreation } from './create-user.ts';
import { endOneOrAll } from './end-sessions.ts';
import { lockActorAndTarget, lockUser } from './lock.ts';
import { toUser, USER_COLUMNS, userList, userReferenceList, userSelection, usersWithDivision } from './user-rows.ts';

const FIND_USERS = defineStatement(
  'find-users',
  (value: Parameters<{ ids: readonly UserId[] }>) =>
    usersWithDivision.select(userSelection).where('u.id', '=', anyIdOf(value('ids'))),
  { columns: USER_COLUMNS },
);

/** Makes the write of a user: decides on locked rows, then writes the row and the audit entry in one transaction. */
const makeUserWrite =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['write'] =>
  (author, target, decide) =>
    inTransaction(rowsOf(author, target.id), async (tx) => {
      const found = await lockUser(tx, author, target);
      if (!found) throw notFound();
      const write = decide(found.locked);
      if (write === 'unchanged') return found.locked.user;
      applyUserWrite(tx, writeAudit, author, write);
      return write.kind === 'delete' ? write.user : { ...write.user, revision: found.nextRevision };
    });

/** Makes the operation that ends sessions of a user and writes the audit entry in one transaction. */
const makeSessionEnding =
  (inTransaction: InTransaction, writeAudit: WriteAudit): UserRepository['endSessions'] =>
  (author, id, sessionId) =>
    inTransaction(rowsOf(author, id), async (tx) => {
      const { target } = await lockActorAndTarget(tx, null, id);
      if (!target) throw notFound();
      const isId = sessionId === null || parseUuid(sessionId) === sessionId;
      const ended = isId ? await endOneOrAll(tx, id, sessionId) : 0;
      const audited = endedSessions(target.user, sessionId, ended);
      if (audited) writeAudit(tx, author, audited);
      return ended;
    });

/** Makes the repository of users. */
export const makeUserRepository = (
  runner: Runner,
  inTransaction: InTransaction,
  readPage: ReadPage,
  writeAudit: WriteAudit,
): UserRepository => {
  const load = batched(async (ids: readonly string[]) => {
    const rows = await FIND_USERS.run(runner, { ids });
    const byId = new Map(rows.map(toUser).map((user) => [user.id, user]));
    return ids.map((id): User | null => byId.get(id) ?? null);
  });
  // One malformed UUID would fail the statement for all look-ups in the batch.
  const find = async (id: UserId) => (parseUuid(id) === id ? load(id) : null);
  return {
    find,
    list: (divisionId, query) => readPage(userList, divisionId, query),
    listReferences: (divisionId, query) => readPage(userReferenceList, divisionId, query),
    checkCreation: makeCreationCheck(runner, find),
    create: makeUserCreation(inTransaction, writeAudit),
    write: makeUserWrite(inTransaction, writeAudit),
    endSessions: makeSessionEnding(inTransaction, writeAudit),
  };
};
