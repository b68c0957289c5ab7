import { parseUuid, type User, type UserId, type UserRepository } from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { batched } from '../connection/batch.ts';
import { defineStatement, type Parameters } from '../connection/define-statement.ts';
import type { Runner } from '../connection/statement.ts';
import type { InTransaction } from '../connection/transaction.ts';
import type { ReadPage } from '../lists/read-page.ts';
import { type EndSessions, makeDeleteUser, makeUpdateUser } from './change-user.ts';
import { makeCreateUser } from './create-user.ts';
import { userList, userReferenceList } from './user-list.ts';
import { toUser, USER_COLUMNS, userSelection, usersWithDivision } from './user-rows.ts';

const FIND = defineStatement(
  'find-users',
  ({ ids }: Parameters<{ ids: readonly UserId[] }>) =>
    usersWithDivision.select(userSelection).where((eb) => eb('u.id', '=', eb.fn.any(ids))),
  { columns: USER_COLUMNS },
);

/** Users in PostgreSQL. */
export const makeUserRepository = (
  runner: Runner,
  inTransaction: InTransaction,
  readPage: ReadPage,
  writeAudit: WriteAudit,
  endSessions: EndSessions,
): UserRepository => {
  const load = batched(async (ids: readonly string[]) => {
    const rows = await FIND.run(runner, { ids });
    const byId = new Map(rows.map(toUser).map((user) => [user.id, user]));
    return ids.map((id): User | null => byId.get(id) ?? null);
  });
  return {
    // One value that is no UUID would spoil the statement for all who share it.
    find: async (id) => (parseUuid(id) === id ? load(id) : null),
    list: (divisionId, query) => readPage(userList, { divisionId }, query),
    listReferences: (divisionId, query) => readPage(userReferenceList, { divisionId }, query),
    create: makeCreateUser(inTransaction, writeAudit),
    update: makeUpdateUser(inTransaction, writeAudit, endSessions),
    delete: makeDeleteUser(inTransaction, writeAudit),
  };
};
