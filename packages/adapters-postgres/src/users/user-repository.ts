import {
  type Author,
  actorOf,
  type DivisionId,
  decideCreation,
  endedSessions,
  foldCase,
  type Instant,
  notFound,
  type PasswordHash,
  parseUuid,
  taken,
  type UserId,
  type UserRepository,
  type UserWrite,
} from '@chapter/domain/ports';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, pickParameters, type Runner } from '../connection/statement.ts';
import { type InTransaction, rowsOf, type Transaction } from '../connection/transaction.ts';
import type { ReadPage } from '../lists/read-page.ts';
import { db } from '../schema/tables.ts';
import type { Swap } from './compare-and-swap.ts';
import { END_ALL, endOneOrAll } from './end-sessions.ts';
import { claimIdempotencyKey, findPriorCreation } from './idempotency-key.ts';
import { lockActor, lockActorAndTarget, lockDivisionOfMember, lockUser } from './lock.ts';
import {
  type UserColumns,
  userColumns,
  userList,
  userReferenceList,
  userRevision,
  WRITTEN_USER_COLUMNS,
} from './user-rows.ts';

const FIND_TAKEN_NAMES = defineStatement(
  'find-taken-names',
  (value: Parameters<Pick<UserColumns, 'username_key' | 'email_key'>>) =>
    db.selectNoFrom((eb) => [
      eb.exists(eb.selectFrom('user_account').where('username_key', '=', value('username_key'))).as('username'),
      eb.exists(eb.selectFrom('user_account').where('email_key', '=', value('email_key'))).as('email'),
    ]),
  { columns: ['username', 'email'] },
);

const CHANGED_COLUMNS = ['division_id', 'password_hash', ...WRITTEN_USER_COLUMNS] as const;

type Changed = UserColumns & { id: UserId; division_id: DivisionId; password_hash: PasswordHash | null };

const INSERT_USER = defineStatement('insert-user', (user: Parameters<Changed & { date_joined: Instant }>) =>
  db.insertInto('user_account').values(pickParameters(user, ['id', 'date_joined', ...CHANGED_COLUMNS])),
);
// It sets every column, so that one prepared statement serves all changes. PostgreSQL compares the values: if no
// indexed one differs, it usually writes no index entries.
const CHANGE_USER = defineStatement('change-user', (user: Parameters<Changed>) =>
  db
    .updateTable('user_account')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .set(pickParameters(user, CHANGED_COLUMNS))
    .where('id', '=', user('id')),
);
const END_TOKENS = defineStatement('end-personal-tokens', (value: Parameters<{ userId: UserId }>) =>
  db.deleteFrom('personal_token').where('user_id', '=', value('userId')),
);
const VOID_LINK = defineStatement('void-password-link', (value: Parameters<{ userId: UserId }>) =>
  db.deleteFrom('password_link').where('user_id', '=', value('userId')),
);

/** Deletes a user with the rows that refer to the user. */
export const DELETE_USER = defineStatement('delete-user', (value: Parameters<{ id: UserId }>) =>
  db.deleteFrom('user_account').where('id', '=', value('id')),
);

/** Sends the statements of a write of a locked user. */
export const applyUserWrite = (
  tx: Transaction,
  writeAudit: WriteAudit,
  author: Author,
  { audit, endsSessions, endsTokens, kind, passwordHash, user, voidsLink }: UserWrite,
): void => {
  const { dateJoined, division, id } = user;
  const columns = { ...userColumns(user), id, division_id: division.id, password_hash: passwordHash };
  writeAudit(tx, author, audit);
  if (endsSessions) END_ALL.send(tx, { userId: id });
  if (endsTokens) END_TOKENS.send(tx, { userId: id });
  if (voidsLink) VOID_LINK.send(tx, { userId: id });
  if (kind === 'create') INSERT_USER.send(tx, { ...columns, date_joined: dateJoined });
  else if (kind === 'change') CHANGE_USER.send(tx, columns);
  else DELETE_USER.send(tx, { id });
};

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

/** Makes the repository of users. `find` looks up a user. Each write and its audit entry are in one transaction. */
export const makeUserRepository = (
  runner: Runner,
  find: UserRepository['find'],
  inTransaction: InTransaction,
  readPage: ReadPage,
  writeAudit: WriteAudit,
  swap: Swap,
): UserRepository => ({
  find,
  list: (divisionId, query) => readPage(userList, divisionId, query),
  listReferences: (divisionId, query) => readPage(userReferenceList, divisionId, query),
  checkCreation: makeCreationCheck(runner, find),

  create: (author, newUser, permit, creation) =>
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
    }),

  write: async (author, target, decide) =>
    (await swap(author, target, decide)) ??
    inTransaction(rowsOf(author, target.id), async (tx) => {
      const found = await lockUser(tx, author, target);
      if (!found) throw notFound();
      const write = decide(found.locked);
      if (write === 'unchanged') return found.locked.user;
      applyUserWrite(tx, writeAudit, author, write);
      return write.kind === 'delete' ? write.user : { ...write.user, revision: found.nextRevision };
    }),

  endSessions: (author, id, sessionId) =>
    inTransaction(rowsOf(author, id), async (tx) => {
      const { target } = await lockActorAndTarget(tx, null, id);
      if (!target) throw notFound();
      const isId = sessionId === null || parseUuid(sessionId) === sessionId;
      const ended = isId ? await endOneOrAll(tx, id, sessionId) : 0;
      const audited = endedSessions(target.user, sessionId, ended);
      if (audited) writeAudit(tx, author, audited);
      return ended;
    }),
});
