import {
  type Author,
  type DecideUserWrite,
  isSameUser,
  type LockedUser,
  type Origin,
  pick,
  type User,
  type WrittenUser,
} from '@chapter/domain/ports';
import { type RawBuilder, sql } from 'kysely';
import { AUDIT_COLUMNS, auditRow, type EntrySources } from '../audit/audit-writer.ts';
import { batched } from '../connection/runner.ts';
import { defineStatement, type Parameters } from '../connection/statement.ts';
import type { InTransaction } from '../connection/transaction.ts';
import { trySharedLock } from '../schema/advisory-locks.ts';
import { userMapping, writtenColumns, writtenValues } from '../schema/mapping.ts';
import { db } from '../schema/tables.ts';
import { ACTOR_COLUMNS, ACTOR_FIELDS } from './user-look-ups.ts';
import { userColumns, userRevision, versionsIn } from './user-rows.ts';

/** The fields that neither rights, nor sessions, nor other users depend on. */
const INDEPENDENT_FIELDS = ['firstName', 'lastName', 'birthdate'] as const;

/** Formats each column, for a list in SQL. */
const each = (columns: readonly string[], format: (column: string) => string): RawBuilder<unknown> =>
  sql.raw(columns.map(format).join(', '));

/**
 * Makes each change whose user, author and division's name are as they were read, and writes its audit entry. Returns
 * the ids of these entries. Never waits for a lock: what is locked may be about to change. The advisory lock keeps it
 * from overtaking a change of the author. Tables are named in the order in which an import locks them.
 */
const COMPARE_AND_SWAP = defineStatement(
  'compare-and-swap',
  (value: Parameters<{ swaps: string }>) =>
    db
      .with(
        'free',
        () => sql<object>`(
          select entry, author, target
            from json_to_recordset(${value('swaps')})
              s (entry audit_entry, author user_account, target user_account, known division)
            where (known).name_version = (select d.name_version from division d where d.id = (known).id)
              and ${trySharedLock('user', sql`(author).id`)})`,
      )
      .with(
        'unchanged',
        () => sql<object>`(
          select entry, target from free s
            join user_account a on (${each(ACTOR_COLUMNS, (column) => `a.${column}`)})
              = (${each(ACTOR_COLUMNS, (column) => `(author).${column}`)})
            join user_account u on u.id = (target).id and u.version = (target).version
            for share of a skip locked for no key update of u skip locked)`,
      )
      .with(
        'changed',
        () => sql<object>`(
          update user_account u set version = u.version + 1,
              ${each(writtenColumns(userMapping, INDEPENDENT_FIELDS), (column) => `${column} = (target).${column}`)}
            from unchanged where u.id = (target).id returning entry)`,
      )
      .with('written', (cte) =>
        cte
          .insertInto('audit_entry')
          .columns(AUDIT_COLUMNS)
          .expression(sql`select ${each(AUDIT_COLUMNS, (column) => `(entry).${column}`)} from changed`)
          .returning('id'),
      )
      .selectFrom('written')
      .select('id'),
  { columns: ['id'] },
);

/**
 * Changes a user as decided on what is known, without locking anything before. Returns the user as stored then;
 * undefined if the change must be decided on locked rows.
 */
export type Swap = (author: Author, target: WrittenUser, decide: DecideUserWrite) => Promise<User | undefined>;

/** Decides; a refusal holds only for locked rows, as that nothing changes. */
const decideOrNothing = (...[decide, locked]: readonly [DecideUserWrite, LockedUser]): ReturnType<DecideUserWrite> => {
  try {
    return decide(locked);
  } catch {
    return 'unchanged';
  }
};

interface Change {
  readonly origin: Origin | undefined;
  readonly swap: {
    readonly entry: ReturnType<typeof auditRow>;
    /** The columns of the author that were read. */
    readonly author: object;
    /** The version of the user that was read, and the new values. */
    readonly target: object;
    /** The user's division, and the version of its name that was read. A user who leaves it gets another version. */
    readonly known: object;
  };
}

/** Makes the compare-and-swap of users, in batches (docs/decisions/0033). */
export const makeSwap = (inStatement: InTransaction, { clock, ids }: EntrySources): Swap => {
  const applied = batched((changes: readonly Change[]) =>
    inStatement(['swaps', 'swaps'], async (tx) => {
      const wanted = changes.filter(({ origin }) => !origin?.isAbandoned?.());
      const swaps = JSON.stringify(wanted.map(({ swap }) => swap));
      const done = new Set((await COMPARE_AND_SWAP.run(tx, { swaps })).map(([id]) => id));
      return changes.map(({ swap }) => done.has(swap.entry.id));
    }),
  );
  return async (author, { known }, decide) => {
    if (!known) return undefined;
    const { actor, user } = known;
    const { division, id } = user;
    // A write that depends on the password hash or on other Leaders is not made below.
    const locked = { actor, user, division, passwordHash: null, isLastLeader: false, leadsOthersAlone: false };
    const write = decideOrNothing(decide, locked);
    if (write === 'unchanged') return undefined;
    const isIndependent = isSameUser(user, { ...write.user, ...pick(user, INDEPENDENT_FIELDS) });
    if (!isIndependent || write.endsSessions || write.endsTokens || write.voidsLink) return undefined;
    const [version, nameVersion] = versionsIn(user.revision);
    const swap = {
      entry: auditRow(ids.next(), clock.now(), author, write.audit),
      author: { ...writtenValues(userMapping, ACTOR_FIELDS, actor), id: actor.id, division_id: actor.divisionId },
      target: { ...userColumns(write.user), id, version },
      known: { id: division.id, name_version: nameVersion },
    };
    // Requests give back their places one by one: those of a batch would wait for each other's.
    const { origin } = author;
    const apply = () => applied({ origin, swap });
    return (await (origin?.pause?.(apply) ?? apply()))
      ? { ...write.user, revision: userRevision(version + 1, nameVersion) }
      : undefined;
  };
};
