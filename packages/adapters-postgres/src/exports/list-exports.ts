import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Actor,
  type AuditAction,
  type AuditedAction,
  type Author,
  divisionAudit,
  type ExportList,
  type ExportQuery,
  exportedWith,
  type ListExports,
  MAX_EXPORTS,
  tooManyExports,
  unavailable,
} from '@chapter/domain/ports';
import { sql } from 'kysely';
import type { Client } from 'pg';
import type { WriteAudit } from '../audit/audit-writer.ts';
import { translateError } from '../connection/errors.ts';
import { runOn } from '../connection/statement.ts';
import { type InTransaction, rowsOf } from '../connection/transaction.ts';
import { BEGIN_SNAPSHOT, type OpenTransaction } from '../connection/unpooled-clients.ts';
import { divisionList } from '../divisions/division-repository.ts';
import { checks } from '../lists/conditions.ts';
import { keyset } from '../lists/keyset.ts';
import type { List, ListTable } from '../lists/list.ts';
import { type ListInput, shapeOf } from '../lists/shape.ts';
import { allOf, compile, inList, shownColumns, withHeader } from '../lists/statements.ts';
import { lockActor } from '../users/lock.ts';
import { userList, userReferenceList } from '../users/user-rows.ts';

/** Rows that one FETCH returns. Bounds the memory of an export and the time that a batch occupies the event loop. */
const ROWS_PER_BATCH = 100;

/** Milliseconds between batches, in which the processor is free for other requests. */
const BATCH_PAUSE_MS = 1;

const FETCH = { text: `fetch ${ROWS_PER_BATCH} from exported` };

/**
 * Returns the statement that reads all matching rows, in their order. It has the conditions and order of a page, and no
 * limit. It may read the whole list, so any plan of PostgreSQL is acceptable.
 */
export const wholeList = (list: ListTable, divisionId: string, requested: ExportQuery<string>) => {
  const input: ListInput = { divisionId, query: { ...requested, size: 1, position: null, counted: false } };
  const shape = shapeOf(list, input);
  const conditions = allOf([inList(list), checks(shape, [...shape.filters.keys()])]);
  const rows = sql`(select ${shownColumns(list)} from ${sql.table(list.table)} u
    where ${conditions} order by ${keyset(shape).orderBy})`;
  // PostgreSQL runs the parts of a UNION ALL in order, so the header row comes first.
  const { statement, valuesOf } = compile(withHeader(list, rows), false);
  return { text: statement.text, values: valuesOf(input) };
};

const openCursor = async (client: Client, { text, values }: ReturnType<typeof wholeList>): Promise<void> => {
  // The cursor will be read to its end, not only the first tenth.
  await client.query('set local cursor_tuple_fraction = 1');
  await client.query(`declare exported no scroll cursor for ${text}`, [...values]);
};

/** Reads the items of a list from the open cursor of `client`, one batch for each FETCH. */
async function* readItems<Item>(client: Client, list: List<Item>, divisionId: string): AsyncGenerator<readonly Item[]> {
  let rows = await runOn(client, FETCH, []);
  const header = list.hasHeader ? rows[0] : undefined;
  if (header) rows = rows.slice(1);
  const division = { id: divisionId, name: (header?.[list.select.length] ?? '') as string };
  while (rows.length > 0) {
    yield rows.map((row) => list.toItem(row, division));
    await sleep(BATCH_PAUSE_MS);
    rows = await runOn(client, FETCH, []);
  }
}

// The locks have two keys, the number of the instance and of the slot, so they never conflict with locks of one key.
const SLOTS = Array.from({ length: MAX_EXPORTS }, (_, slot) => `when pg_try_advisory_xact_lock($1, ${slot}) then true`);

/**
 * Takes one of the slots for exports that the processes of an instance share, until the transaction ends. Returns
 * whether one was free.
 */
const takeInstanceSlot = async (client: Client, instanceKey: number): Promise<boolean> => {
  const { rows } = await client.query<{ taken: boolean }>(`select case ${SLOTS.join(' ')} else false end as taken`, [
    instanceKey,
  ]);
  return rows[0]?.taken === true;
};

/** Milliseconds that an export may take. See contract §11. */
const TIME_LIMIT_MS = 300_000;

/**
 * Makes the writer of audit entries of exports. It locks the author, calls `permit` with the author's present rights,
 * and writes the entry. If `permit` throws, no entry is written. Its lock also excludes an erasure of the author: an
 * entry that is written during the erasure would keep the author's name.
 */
export const makeRecordExport =
  (inTransaction: InTransaction, writeAudit: WriteAudit) =>
  (author: Author, audited: AuditedAction, permit: (actor: Actor | null) => void): Promise<void> =>
    inTransaction(rowsOf(author, audited.targetId), async (tx) => {
      permit(await lockActor(tx, author.userId));
      writeAudit(tx, author, audited);
    });

/** Options of exports. */
export interface ListExportOptions {
  /** The same number in all processes of an instance, which share the limit of open exports. */
  readonly instanceKey?: number | undefined;
  readonly timeLimitMs?: number;
}

/** Makes the exports. Each has its own connection to the primary, not one of the pool. */
export const makeListExports = (
  openTransaction: OpenTransaction,
  record: ReturnType<typeof makeRecordExport>,
  { instanceKey, timeLimitMs = TIME_LIMIT_MS }: ListExportOptions = {},
): ListExports => {
  let openExports = 0;

  const exportOf =
    <Item extends object>(action: AuditAction, list: List<Item>): ExportList<Item, keyof Item & string> =>
    async (author, divisionId, query, permit) => {
      if (openExports === MAX_EXPORTS) throw tooManyExports();
      openExports += 1;
      let client: Client | undefined;
      let ended: Error | undefined;
      const end = async (reason: Error): Promise<void> => {
        if (ended) return;
        ended = reason;
        clearTimeout(timer);
        openExports -= 1;
        // Also interrupts a statement that is running.
        await client?.end();
      };
      const timer = setTimeout(() => void end(new Error('the export took too long')), timeLimitMs).unref();
      /** Returns why the export failed: why it was ended, otherwise the error of its statement. */
      const causeOf = (error: unknown): unknown => (ended ? unavailable(ended) : translateError(error));
      const begin = async (): Promise<Client> => {
        client = await openTransaction(BEGIN_SNAPSHOT);
        client.once('end', () => void end(new Error('the connection was closed')));
        if (ended) await client.end();
        else if (instanceKey !== undefined && !(await takeInstanceSlot(client, instanceKey))) throw tooManyExports();
        await openCursor(client, wholeList(list, divisionId, query));
        await record(author, divisionAudit(action, divisionId, exportedWith(query)), permit);
        return client;
      };
      const close = (): Promise<void> => end(new Error('the export was closed'));
      const fail = async (error: unknown): Promise<never> => {
        const cause = causeOf(error);
        await close();
        throw cause;
      };

      const opened = await begin().catch(fail);
      async function* read() {
        try {
          yield* readItems(opened, list, divisionId);
        } catch (error) {
          await fail(error);
        } finally {
          await close();
        }
      }
      return { batches: read(), close };
    };

  return {
    users: exportOf('exportUsers', userList),
    references: exportOf('exportDivisionUsers', userReferenceList),
    divisions: exportOf('exportDivisions', divisionList),
  };
};
