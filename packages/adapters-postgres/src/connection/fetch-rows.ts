import type { ClientBase } from 'pg';

/**
 * Runs a FETCH on an open cursor. Uses the driver's callback: with its promise, rows survive garbage collections, and memory grows
 * with the number of rows.
 */
export const fetchRows = <Row extends readonly unknown[]>(client: ClientBase, text: string): Promise<Row[]> =>
  new Promise((resolve, reject) => {
    client.query<unknown[]>({ text, rowMode: 'array' }, (error, result) => {
      if (error) reject(error);
      else resolve(result.rows as unknown as Row[]);
    });
  });
