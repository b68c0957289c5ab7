import type { Author, DivisionId, Instant, PasswordHash, UserId, UserWrite } from '@chapter/domain/ports';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, pickParameters } from '../connection/statement.ts';
import type { Transaction } from '../connection/transaction.ts';
import { db } from '../schema/tables.ts';
import { END_ALL } from './end-sessions.ts';
import { type UserColumns, userColumns, WRITTEN_USER_COLUMNS } from './user-rows.ts';

const CHANGED_COLUMNS = ['division_id', 'password_hash', ...WRITTEN_USER_COLUMNS] as const;

type Changed = UserColumns & { id: UserId; division_id: DivisionId; password_hash: PasswordHash | null };

const INSERT_USER = defineStatement('insert-user', (user: Parameters<Changed & { date_joined: Instant }>) =>
  db.insertInto('user_account').values(pickParameters(user, ['id', 'date_joined', ...CHANGED_COLUMNS])),
);
// It sets every column, so that one prepared statement serves all changes. PostgreSQL compares the values: if no indexed one
// differs, it usually writes no index entries.
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
const DELETE_USER = defineStatement('delete-user', (value: Parameters<{ id: UserId }>) =>
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
