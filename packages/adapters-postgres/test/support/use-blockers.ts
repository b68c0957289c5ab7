import type { Client, Pool } from 'pg';
import { connectClient } from '../../../../test-support/query.ts';
import { until } from './until.ts';
import { useWorld } from './use-world.ts';

/** A transaction of plain SQL, outside of the service. */
export interface Blocker {
  /** Runs a statement, which may wait for locks. Returns rows as arrays of columns. */
  readonly run: (text: string, ...values: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>;
  /** Commits and closes the connection. */
  readonly commit: () => Promise<void>;
}

/** For a `describe`: begins transactions of plain SQL, and observes waits for locks. */
export const useBlockers = (world: () => { readonly url: string; readonly sql: Pool }) => {
  const open = new Set<Client>();
  const end = async (client: Client): Promise<void> => {
    open.delete(client);
    await client.end();
  };
  afterEach(() => Promise.all([...open].map(end)));

  const countWaiting = async (milliseconds = 0): Promise<number> => {
    const { rows } = await world().sql.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and clock_timestamp() - query_start >= $1 * interval '1 ms'`,
      [milliseconds],
    );
    return rows[0]?.count ?? 0;
  };
  return {
    begin: async (url: string = world().url): Promise<Blocker> => {
      const client = await connectClient(url, 'begin');
      open.add(client);
      return {
        run: async (text, ...values) =>
          (await client.query<unknown[]>({ text, values: [...values], rowMode: 'array' })).rows,
        commit: async () => {
          await client.query('commit');
          await end(client);
        },
      };
    },
    /** Returns how many transactions have waited for locks, for some milliseconds. */
    countWaiting,
    /** Resolves when `count` transactions have waited for locks, for some milliseconds. @throws Error if `work` ends before. */
    untilWaiting: async (count: number, work: Promise<unknown>, milliseconds = 0): Promise<void> => {
      let hasEnded = false;
      void work.catch(() => {}).finally(() => (hasEnded = true));
      await until(async () => {
        const waiting = await countWaiting(milliseconds);
        if (waiting < count && hasEnded) throw new Error('the work ended without waiting for a lock');
        return waiting >= count;
      });
    },
  };
};

/** For a `describe`: a world, and transactions of plain SQL in its database. */
export const useBlockedWorld = (...options: Parameters<typeof useWorld>) => {
  const world = useWorld(...options);
  return { world, blockers: useBlockers(world) };
};
