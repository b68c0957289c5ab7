import { actorOf, notFound, type PersonalToken, type PersonalTokens, parseUuid, type UserId } from '@chapter/domain';
import type { WriteAudit } from '../audit/audit-writer.ts';
import type { FixedStatement, Runner } from '../connection/statement.ts';
import { type InTransaction, rowsOf } from '../connection/transaction.ts';
import { toInstant } from '../schema/mapping.ts';
import { lockActorAndTarget } from '../users/lock.ts';
import { toUser } from '../users/user-rows.ts';
import {
  END_TOKEN,
  FIND_PERSONAL_TOKEN,
  INSERT_TOKEN,
  LIST_PERSONAL_TOKENS,
  NOTE_USE,
} from './personal-token-statements.ts';

type RowOf<Of> = Of extends FixedStatement<never, infer Row> ? Row : never;

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
): PersonalTokens => ({
  create: (author, token, decide) =>
    inTransaction(rowsOf(author, token.userId), async (tx) => {
      const { actor, target } = await lockActorAndTarget(tx, author.userId, token.userId);
      if (!target) throw notFound();
      const { length: count } = await list(tx, token.userId);
      writeAudit(tx, author, decide({ actor, user: target.user, count }));
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
    // A request neither waits for this nor fails with it, also while the database is read-only or full.
    if (!isNoted) NOTE_USE.run(runner, { id }).catch(() => {});
    return { id, isReadOnly, actor: actorOf(toUser(user)) };
  },
});
