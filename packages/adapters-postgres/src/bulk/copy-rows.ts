import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';

/** What a column is given: text, or null. */
export type Cell = string | null;

/** Characters that are sent at once; below it a row at a time costs more in calls than in bytes. */
const CHUNK = 65_536;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const cellText = (cell: Cell): string =>
  cell === null ? '\\N' : cell.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);

/** A row in the text format of COPY (PostgreSQL, "COPY", File Formats). */
const copyLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join('\t')}\n`;

async function* chunksOf<T>(rows: AsyncIterable<T>, cellsOf: (row: T) => readonly Cell[], isOver: () => boolean) {
  let chunk = '';
  for await (const row of rows) {
    // Of rows that are slow to make, nobody waits for a whole chunk that nobody wants any more.
    if (isOver()) return;
    chunk += copyLine(cellsOf(row));
    if (chunk.length < CHUNK) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/**
 * Writes rows to a table by COPY, no faster than the database takes them, so that few of them are in memory at once.
 * What `rows` throws breaks it off.
 *
 * @throws the database's own errors.
 */
export const copyRows = async <T>(
  client: Client,
  table: string,
  columns: readonly string[],
  rows: AsyncIterable<T>,
  cellsOf: (row: T) => readonly Cell[],
): Promise<void> => {
  const copy = client.query(from(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(Readable.from(chunksOf(rows, cellsOf, () => copy.destroyed)), copy);
};
