import type { Pool, PoolClient } from 'pg';

/** SQL with parameters. With a name, each connection plans it once. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  /** Whether a statement without a name may be prepared, because one plan is good for all values. */
  readonly isReusable?: boolean;
  /** Whether it does little whatever its values are, so that others may wait behind it. */
  readonly isBrief?: boolean;
  /** Whether it changes nothing, so that it may be sent along with a BEGIN that may fail. Locks are no change. */
  readonly isReadOnly?: boolean;
}

/** Runs statements: the pool, each on any connection, or the one connection of a transaction. */
export interface Runner {
  /** The rows, each as the list of its columns: objects by column name cost as much again as the rest of a read. */
  query<Row extends readonly unknown[] = readonly []>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]>;
}

/**
 * Runs a statement. By a callback: with the driver's own promise, rows outlive two collections of garbage.
 *
 * @throws the database's own errors.
 */
export const runOn = <Row extends readonly unknown[]>(
  client: Pool | PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    const query = { ...(name === undefined ? {} : { name }), text, rowMode: 'array' as const, values: [...values] };
    client.query(query, (error, result) => {
      if (error) {
        reject(error);
        return;
      }
      const rows: readonly unknown[] = result.rows;
      resolve(rows as readonly Row[]);
    });
  });
