import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { from } from 'pg-copy-streams';

/** A value of a column in the text format of COPY. */
export type Cell = string | null;

/** Characters sent at once. Smaller chunks cost more in calls than in bytes. */
const CHUNK_SIZE_CHARS = 65_536;

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const cellText = (cell: Cell): string =>
  cell === null ? '\\N' : cell.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);

/** Returns a row in the text format of COPY (PostgreSQL, "COPY", File Formats). */
const copyLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join('\t')}\n`;

async function* chunksOf<T>(rows: AsyncIterable<T>, cellsOf: (row: T) => readonly Cell[], isOver: () => boolean) {
  let chunk = '';
  for await (const row of rows) {
    // Checked for each row: after a failure, there is no use in waiting for slow rows to fill the chunk.
    if (isOver()) return;
    chunk += copyLine(cellsOf(row));
    if (chunk.length < CHUNK_SIZE_CHARS) continue;
    yield Buffer.from(chunk);
    chunk = '';
  }
  if (chunk !== '') yield Buffer.from(chunk);
}

/**
 * Copies rows to a table, no faster than the database accepts them, so that few rows are in memory at once. An error that
 * `rows` throws aborts the copy.
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
