import {
  actorOf,
  type Instant,
  type NewPersonalToken,
  notFound,
  type PersonalToken,
  type PersonalTokenId,
  type PersonalTokens,
  parseUuid,
  type UserId,
} from '@chapter/domain/ports';
import { sql } from 'kysely';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { defineStatement, type Parameters, type RowOf, type Runner } from '../connection/statement.ts';
import { type InTransaction, type RunnerFor, rowsOf } from '../connection/transaction.ts';
import { toInstant } from '../schema/mapping.ts';
import { db } from '../schema/tables.ts';
import { isActive } from '../users/end-sessions.ts';
import { lockActorAndTarget } from '../users/lock.ts';
import { TODAY } from '../users/user-directory.ts';
import { toUser, USER_COLUMNS, userSelection, usersWithDivision } from '../users/user-rows.ts';

const TOKEN_COLUMNS = ['id', 'name', 'is_read_only', 'created_at', 'expires_at', 'last_used_on'] as const;

const INSERT_TOKEN = defineStatement(
  'insert-personal-token',
  (value: Parameters<NewPersonalToken>) =>
    db
      .insertInto('personal_token')
      .values({
        id: value('id'),
        user_id: value('userId'),
        name: value('name'),
        digest: value('digest'),
        is_read_only: value('isReadOnly'),
        created_at: sql<Instant>`now()`,
        expires_at: value('expiresAt'),
      })
      .returning(TOKEN_COLUMNS),
  { columns: TOKEN_COLUMNS },
);

/**
 * Locks the active sessions of a user, so that they end after the transaction, and returns their ids. The order
 * prevents a deadlock with a login that ends excess sessions. A refresh does not wait.
 */
const LOCK_SESSIONS = defineStatement(
  'lock-sessions',
  (value: Parameters<{ userId: UserId }>) =>
    db
      .selectFrom('session')
      .select('id')
      .where('user_id', '=', value('userId'))
      .where(isActive)
      .orderBy('id')
      .forKeyShare(),
  { columns: ['id'] },
);

const tokensOf = (userId: ReturnType<Parameters<{ userId: UserId }>>) =>
  db.selectFrom('personal_token').where('user_id', '=', userId);

const LIST_PERSONAL_TOKENS = defineStatement(
  'list-personal-tokens',
  (value: Parameters<{ userId: UserId }>) =>
    tokensOf(value('userId')).select(TOKEN_COLUMNS).where(isActive).orderBy('created_at', 'desc').orderBy('id', 'desc'),
  { columns: TOKEN_COLUMNS },
);

/** Lists all tokens of a user, oldest first. */
export const STORED_TOKENS = defineStatement(
  'find-stored-tokens',
  (value: Parameters<{ userId: UserId }>) =>
    tokensOf(value('userId')).select(TOKEN_COLUMNS).orderBy('created_at').orderBy('id'),
  { columns: TOKEN_COLUMNS },
);

const END_TOKEN = defineStatement('end-personal-token', (value: Parameters<{ id: PersonalTokenId }>) =>
  db.deleteFrom('personal_token').where('id', '=', value('id')),
);

/** Finds a token that has not expired, with its active user. `is_noted` says whether its use today is stored. */
const FIND_PERSONAL_TOKEN = defineStatement(
  'find-personal-token',
  (value: Parameters<{ digest: string }>) =>
    usersWithDivision
      .innerJoin('personal_token as t', 't.user_id', 'u.id')
      .select([
        't.id as token_id',
        't.is_read_only',
        sql<boolean>`coalesce(${sql.ref('t.last_used_on')} >= ${TODAY}, false)`.as('is_noted'),
      ])
      .select(userSelection)
      .where('t.digest', '=', value('digest'))
      .where('t.expires_at', '>', sql<string>`now()`)
      .where('u.is_active', '=', sql.lit(true)),
  { columns: ['token_id', 'is_read_only', 'is_noted', ...USER_COLUMNS] },
);

/** Stores the present day as that of the last use of a token. */
const NOTE_USE = defineStatement('note-use-of-personal-token', (value: Parameters<{ id: PersonalTokenId }>) =>
  db.updateTable('personal_token').set({ last_used_on: TODAY }).where('id', '=', value('id')),
);

/** Milliseconds after which the use of a token may be noted again if that failed. */
const RETRY_AFTER_MS = 60_000;

/**
 * Makes a function that notes the use of a token, one use of each token at a time. A request neither waits for it nor
 * fails with it, also while the database is read-only or full.
 */
export const makeNoteUse = (runnerFor: RunnerFor) => {
  const noting = new Set<PersonalTokenId>();
  return (userId: UserId, id: PersonalTokenId): void => {
    if (noting.has(id)) return;
    noting.add(id);
    const end = () => noting.delete(id);
    NOTE_USE.run(runnerFor([userId, id]), { id }).then(end, () => setTimeout(end, RETRY_AFTER_MS).unref());
  };
};

/** Converts a row to a token. */
export const toToken = ([id, name, isReadOnly, created, expires, lastUsedOn]: RowOf<
  typeof LIST_PERSONAL_TOKENS
>): PersonalToken => ({
  id,
  name,
  isReadOnly,
  createdAt: toInstant(created),
  expiresAt: toInstant(expires),
  lastUsedOn,
});

const list = async (runner: Runner, userId: UserId): Promise<readonly PersonalToken[]> =>
  parseUuid(userId) === userId ? (await LIST_PERSONAL_TOKENS.run(runner, { userId })).map(toToken) : [];

/** Makes the store of personal access tokens. Every creation and every end of a token holds the lock of its user. */
export const makePersonalTokens = (
  runner: Runner,
  inTransaction: InTransaction,
  writeAudit: WriteAudit,
  noteUse: ReturnType<typeof makeNoteUse>,
): PersonalTokens => ({
  create: (author, token, decide) =>
    inTransaction(rowsOf(author, token.userId), async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, token.userId);
      if (!target) throw notFound();
      const { length: count } = await list(tx, token.userId);
      const sessions = (await LOCK_SESSIONS.run(tx, { userId: token.userId })).map(([id]) => id);
      writeAudit(tx, author, decide({ actor, user: target.user, count, sessions }));
      const [row] = await INSERT_TOKEN.run(tx, token);
      if (!row) throw new Error('the statement that stores a token returned no row');
      return toToken(row);
    }),

  list: (userId) => list(runner, userId),

  end: (author, { id, userId }, decide) =>
    inTransaction(rowsOf(author, userId), async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, userId);
      const token = target && (await list(tx, userId)).find((one) => one.id === id);
      if (!token) throw notFound();
      writeAudit(tx, author, decide({ actor, user: target.user, token }));
      END_TOKEN.send(tx, { id });
    }),

  use: async (digest) => {
    const [row] = await FIND_PERSONAL_TOKEN.run(runner, { digest });
    if (!row) return null;
    const [id, isReadOnly, isNoted, ...user] = row;
    const actor = actorOf(toUser(user));
    if (!isNoted) noteUse(actor.id, id);
    return { id, isReadOnly, actor };
  },
});
