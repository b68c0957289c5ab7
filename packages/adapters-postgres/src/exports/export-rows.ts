import { setTimeout as sleep } from 'node:timers/promises';
import type { ExportQuery } from '@chapter/domain';
import { sql } from 'kysely';
import type { Client } from 'pg';
import { runOn } from '../connection/statement.ts';
import { checks } from '../lists/conditions.ts';
import { keyset } from '../lists/keyset.ts';
import type { List, ListTable } from '../lists/list.ts';
import { type ListInput, shapeOf } from '../lists/shape.ts';
import { allOf, compile, inList, shownColumns, withHeader } from '../lists/statements.ts';

/** Rows that one FETCH returns. It bounds the memory of an export and the time for which a batch occupies the event loop. */
const ROWS_PER_BATCH = 100;

/** Milliseconds between batches, in which the processor is free for other requests. */
const BATCH_PAUSE_MS = 1;

const FETCH = { text: `fetch ${ROWS_PER_BATCH} from exported` };

/**
 * Settings of the transaction of an export. The server ends a statement within a second after the connection has closed,
 * which not every platform supports. The cursor will be read to its end, not only the first tenth.
 */
const SETTINGS = `select set_config('cursor_tuple_fraction', '1', true),
  case when current_setting('dynamic_shared_memory_type') <> 'windows'
    then set_config('client_connection_check_interval', '1000', true) end`;

/** A statement for one execution. */
interface BoundStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Returns the statement that reads all matching rows, in their order. It has the conditions and order of a page, and no limit. It
 * may read the whole list, so any plan of PostgreSQL is acceptable.
 */
export const wholeList = (list: ListTable, divisionId: string, requested: ExportQuery<string>): BoundStatement => {
  const input: ListInput = { divisionId, query: { ...requested, size: 1, position: null, counted: false } };
  const shape = shapeOf(list, input);
  const conditions = allOf([inList(list), checks(shape, [...shape.filters.keys()])]);
  const rows = sql`(select ${shownColumns(list)} from ${sql.table(list.table)} u
    where ${conditions} order by ${keyset(shape).orderBy})`;
  // PostgreSQL runs the parts of a UNION ALL in order, so the header row comes first.
  const { statement, valuesOf } = compile(withHeader(list, rows), false);
  return { text: statement.text, values: valuesOf(input) };
};

/** Opens a cursor for a statement in the transaction of `client`. */
export const openCursor = async (client: Client, { text, values }: BoundStatement): Promise<void> => {
  await client.query(SETTINGS);
  await client.query(`declare exported no scroll cursor for ${text}`, [...values]);
};

/** Reads the items of a list from the open cursor of `client`, one batch for each FETCH. */
export async function* readItems<Item>(
  client: Client,
  list: List<Item>,
  divisionId: string,
): AsyncGenerator<readonly Item[]> {
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
