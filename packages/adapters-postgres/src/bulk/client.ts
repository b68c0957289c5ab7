import { unavailable } from '@chapter/domain';
import type { Client } from 'pg';
import { openClient } from '../connection/checked-client.ts';
import { translateError } from '../connection/errors.ts';
import type { ConnectionOptions } from '../connection/options.ts';
import { LIFT_TIME_LIMITS } from '../connection/session-settings.ts';

/**
 * Runs `work` in a transaction on its own connection, which `work` may keep busy or idle for hours. Then closes the
 * connection, which rolls back uncommitted work. `begin` is the statement that begins the transaction. `commit` commits;
 * closing the database waits for a running commit.
 */
export type WithClient = <T>(
  begin: string,
  work: (client: Client, commit: () => Promise<void>) => Promise<T>,
) => Promise<T>;

/**
 * Begins a transaction on its own connection, with the statement `begin` and without time limits. The caller ends the
 * connection.
 */
export type OpenTransaction = (begin: string) => Promise<Client>;

/** Connections outside the pool. */
interface BulkClients {
  readonly withClient: WithClient;
  readonly openTransaction: OpenTransaction;
  readonly close: () => Promise<void>;
}

/** Makes connections for bulk work. `close` interrupts the work. Throws DomainError `unavailable` if it cannot connect. */
export const makeBulkClients = (options: ConnectionOptions): BulkClients => {
  const open = new Set<Client>();
  const committing = new Set<Promise<unknown>>();
  let isClosed = false;
  const commitOn = async (client: Client): Promise<void> => {
    const outcome = client.query('commit');
    open.delete(client);
    committing.add(outcome);
    await outcome.finally(() => committing.delete(outcome));
  };
  const openTransaction: OpenTransaction = async (begin) => {
    const client = await openClient(options);
    open.add(client);
    client.once('end', () => open.delete(client));
    try {
      if (isClosed) throw unavailable();
      await client.query(begin);
      await client.query(LIFT_TIME_LIMITS);
      return client;
    } catch (error) {
      await client.end();
      throw translateError(error);
    }
  };
  return {
    openTransaction,
    withClient: async (begin, work) => {
      const client = await openTransaction(begin);
      try {
        return await work(client, () => commitOn(client));
      } catch (error) {
        throw translateError(error);
      } finally {
        await client.end();
      }
    },
    close: async () => {
      isClosed = true;
      await Promise.allSettled([...[...open].map((client) => client.end()), ...committing]);
    },
  };
};
