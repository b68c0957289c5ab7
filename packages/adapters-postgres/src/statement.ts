import type { Pool, PoolClient } from 'pg';
import { translateError } from './errors.ts';

/** SQL with parameters. With a name, each connection plans it once. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** Runs statements: the pool, each on any connection, or the one connection of a transaction. */
export interface Runner {
  /** The rows, each as the list of its columns: objects by column name cost as much again as the rest of a read. */
  query<Row extends readonly unknown[] = readonly []>(
    statement: Statement,
    values: readonly unknown[],
  ): Promise<readonly Row[]>;
}

/** Runs a statement. @throws the database's own errors. */
export const runOn = async <Row extends readonly unknown[]>(
  client: Pool | PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<readonly Row[]> => {
  const { rows } = await client.query<unknown[]>({ ...statement, rowMode: 'array', values: [...values] });
  return rows as unknown as readonly Row[];
};

/** Runs statements on connections of a pool. Throws what `translateError` makes of the database's errors. */
export const runnerOn = (pool: Pool): Runner => ({
  query: async (statement, values) => {
    try {
      return await runOn(pool, statement, values);
    } catch (error) {
      throw translateError(error);
    }
  },
});
