import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { fetchRows } from '../connection/fetch-rows.ts';
import type { List, ListScope } from '../lists/list.ts';

/** Rows that one FETCH returns. It bounds the memory of an export and the time for which a batch occupies the event loop. */
const ROWS_PER_BATCH = 100;

/** Milliseconds between batches, in which the processor is free for other requests. */
const BATCH_PAUSE_MS = 1;

const FETCH = `fetch ${ROWS_PER_BATCH} from exported`;

/**
 * Settings of the transaction of an export. The server ends a statement within a second after the connection has closed,
 * which not every platform supports. The cursor will be read to its end, not only the first tenth.
 */
const SETTINGS = `select set_config('cursor_tuple_fraction', '1', true),
  case when current_setting('dynamic_shared_memory_type') <> 'windows'
    then set_config('client_connection_check_interval', '1000', true) end`;

/** Opens a cursor for a statement in the transaction of `client`. */
export const openCursor = async (
  client: Client,
  { text, values }: { readonly text: string; readonly values: readonly unknown[] },
): Promise<void> => {
  await client.query(SETTINGS);
  await client.query(`declare exported no scroll cursor for ${text}`, [...values]);
};

/** Reads the items of a list from the open cursor of `client`, one batch for each FETCH. */
export async function* readItems<
  Field extends string,
  Item,
  Row extends readonly unknown[],
  Scope extends ListScope,
  Header extends readonly unknown[],
>(client: Client, list: List<Field, Item, Row, Scope, Header>, scope: NoInfer<Scope>): AsyncGenerator<readonly Item[]> {
  let toItem: ((row: Row) => Item) | undefined;
  for (;;) {
    const rows = await fetchRows<Row>(client, FETCH);
    if (rows.length === 0) return;
    // The first row is the header row, if the list has one.
    const header = toItem === undefined && list.hasHeader ? rows.shift()?.slice(list.select.length, -1) : [];
    const convert = (toItem ??= list.makeToItem((header ?? []) as readonly unknown[] as Header, scope));
    yield rows.map(convert);
    await sleep(BATCH_PAUSE_MS);
  }
}
