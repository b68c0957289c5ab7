import {
  endedSessions,
  isSameUser,
  notFound,
  type PasswordHash,
  parseUuid,
  type SessionId,
  type User,
  type UserId,
  type UserRepository,
  userDifferences,
  voidsPasswordLink,
} from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { anyIdOf } from '../connection/any-id-of.ts';
import { batched } from '../connection/runner.ts';
import { defineStatement, type Parameters, pickParameters, type Runner } from '../connection/statement.ts';
import type { InTransaction, Transaction } from '../connection/transaction.ts';
import type { ReadPage } from '../lists/read-page.ts';
import { db } from '../schema/tables.ts';
import { makeUserCreation } from './create-user.ts';
import { leadershipOf, lockActorAndTarget } from './lock.ts';
import { makeUserMove } from './move-user.ts';
import { VOID_LINK } from './password-link-statements.ts';
import {
  toUser,
  USER_COLUMNS,
  type UserColumns,
  userColumns,
  userList,
  userReferenceList,
  userRevision,
  userSelection,
  usersWithDivision,
  WRITTEN_USER_COLUMNS,
} from './user-rows.ts';

const FIND_USERS = defineStatement(
  'find-users',
  ({ ids }: Parameters<{ ids: readonly UserId[] }>) =>
    usersWithDivision.select(userSelection).where('u.id', '=', anyIdOf(ids)),
  { columns: USER_COLUMNS },
);
// It sets every column, so that one prepared statement serves all changes. PostgreSQL compares the values: if no indexed one
// differs, it usually writes no index entries.
const CHANGE_USER = defineStatement(
  'change-user',
  (user: Parameters<UserColumns & { id: UserId; password_hash: PasswordHash | null }>) =>
    db
      .updateTable('user_account')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .set(pickParameters(user, ['password_hash', ...WRITTEN_USER_COLUMNS]))
      .where('id', '=', user.id),
);

const DELETE_USER = defineStatement('delete-user', ({ id }: Parameters<{ id: UserId }>) =>
  db.deleteFrom('user_account').where('id', '=', id),
);

/** Ends sessions of a user. The caller has locked the user in the same transaction (docs/decisions/0020). */
export interface EndSessions {
  /** Ends every session that starts before the commit. The caller has already sent its changes of the user. */
  all(tx: Transaction, userId: UserId): Promise<void>;
  /** Ends one active session, or all if `sessionId` is null, and returns how many were active. */
  oneOrAll(tx: Transaction, userId: UserId, sessionId: SessionId | null): Promise<number>;
}

/** Makes the update of a user: decides on locked rows, then writes the row and the audit entry in one transaction. */
const makeUserUpdate =
  (inTransaction: InTransaction, writeAudit: WriteAudit, endSessions: EndSessions): UserRepository['update'] =>
  (author, id, change) =>
    inTransaction(async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
      if (!target) throw notFound();
      const { user: before, passwordHash: oldHash } = target;
      const { user, passwordHash, endsSessions } = change({
        actor,
        user: before,
        passwordHash: oldHash,
        ...(await leadershipOf(tx, before)),
      });
      const newHash = passwordHash ?? oldHash;
      const passwordChanged = newHash !== oldHash;
      const { division, dateJoined } = before;
      const after = { ...user, id, division, dateJoined };
      const hasChanged = passwordChanged || !isSameUser(before, after);
      if (hasChanged) {
        writeAudit(tx, author, {
          action: 'updateUser',
          targetType: 'user',
          targetId: id,
          divisionId: division.id,
          changes: userDifferences(before, after, { passwordChanged }),
        });
        CHANGE_USER.send(tx, { ...userColumns(after), id, password_hash: newHash });
        if (voidsPasswordLink(before, after, passwordChanged)) VOID_LINK.send(tx, { userId: id });
      }
      if (endsSessions) await endSessions.all(tx, id);
      return hasChanged ? { ...after, revision: userRevision(target.version + 1, target.nameVersion) } : before;
    });

/** Makes the operation that ends sessions of a user and writes the audit entry in one transaction. */
const makeSessionEnding =
  (inTransaction: InTransaction, writeAudit: WriteAudit, endSessions: EndSessions): UserRepository['endSessions'] =>
  (author, id, sessionId) =>
    inTransaction(async (tx) => {
      const { target } = await lockActorAndTarget(tx, null, id);
      if (!target) throw notFound();
      const isId = sessionId === null || parseUuid(sessionId) === sessionId;
      const ended = isId ? await endSessions.oneOrAll(tx, id, sessionId) : 0;
      if (ended === 0) return 0;
      writeAudit(tx, author, {
        action: 'endSessions',
        targetType: 'user',
        targetId: id,
        divisionId: target.user.division.id,
        changes: endedSessions(sessionId, ended),
      });
      return ended;
    });

/** Makes the deletion of a user, which ends all sessions. The database would delete its own with the row. */
const makeUserDeletion =
  (inTransaction: InTransaction, writeAudit: WriteAudit, endSessions: EndSessions): UserRepository['delete'] =>
  (author, id, permit) =>
    inTransaction(async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, id);
      if (!target) throw notFound();
      const { user } = target;
      permit({ actor, user, passwordHash: target.passwordHash, ...(await leadershipOf(tx, user)) });
      const changes = userDifferences(user, null);
      writeAudit(tx, author, {
        action: 'deleteUser',
        targetType: 'user',
        targetId: id,
        divisionId: user.division.id,
        changes,
      });
      DELETE_USER.send(tx, { id });
      await endSessions.all(tx, id);
    });

/** Makes the repository of users. */
export const makeUserRepository = (
  runner: Runner,
  inTransaction: InTransaction,
  readPage: ReadPage,
  writeAudit: WriteAudit,
  endSessions: EndSessions,
): UserRepository => {
  const load = batched(async (ids: readonly string[]) => {
    const rows = await FIND_USERS.run(runner, { ids });
    const byId = new Map(rows.map(toUser).map((user) => [user.id, user]));
    return ids.map((id): User | null => byId.get(id) ?? null);
  });
  return {
    // One malformed UUID would fail the statement for all look-ups in the batch.
    find: async (id) => (parseUuid(id) === id ? load(id) : null),
    list: (divisionId, query) => readPage(userList, { divisionId }, query),
    listReferences: (divisionId, query) => readPage(userReferenceList, { divisionId }, query),
    create: makeUserCreation(inTransaction, writeAudit),
    update: makeUserUpdate(inTransaction, writeAudit, endSessions),
    move: makeUserMove(inTransaction, writeAudit),
    endSessions: makeSessionEnding(inTransaction, writeAudit, endSessions),
    delete: makeUserDeletion(inTransaction, writeAudit, endSessions),
  };
};
