import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { translateError } from './errors.ts';

/** SQL with parameters. With a name, each connection plans it once. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
}

/** Runs statements: the pool, each on any connection, or the one connection of a transaction. */
export interface Runner {
  /** The rows. @throws what `translateError` makes of the database's errors. */
  query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<readonly Row[]>;
}

/** Runs statements on connections of a pool. */
export const runnerOn = (client: Pool | PoolClient): Runner => ({
  query: async <Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]) => {
    try {
      return (await client.query<Row>({ ...statement, values: values as unknown[] })).rows;
    } catch (error) {
      throw translateError(error);
    }
  },
});
