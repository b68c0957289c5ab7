import { unavailable } from '@chapter/domain/ports';
import type { Client } from 'pg';
import { explainFailure, openClient } from './checked-client.ts';
import { translateError } from './errors.ts';
import { type ConnectionOptions, LIFT_TIME_LIMITS, WAIT_FOR_LOCKS } from './options.ts';
import { type Runner, runOn } from './statement.ts';

/** Begins a read-only transaction whose statements all read the data as of its first statement. */
export const BEGIN_SNAPSHOT = 'begin isolation level repeatable read, read only';

/**
 * Cancels a running statement within a second after its client disconnects: building an index can take minutes, and its
 * locks block other clients. Servers on operating systems without support reject the setting; that error is ignored.
 */
const DETECT_LOST_CLIENT = `do $$ begin
    perform set_config('client_connection_check_interval', '1s', true);
  exception when invalid_parameter_value then null;
  end $$`;

/**
 * Runs `work` in a transaction on its own connection, which `work` may keep busy for hours. The database ends the
 * transaction if it is idle for 5 minutes and not read-only. Then closes the connection, which rolls back uncommitted work.
 * `begin` is the statement that begins the transaction. `commit` commits; closing the database waits for a running commit.
 */
export type WithClient = <T>(
  begin: string,
  work: (client: Client, commit: () => Promise<void>) => Promise<T>,
) => Promise<T>;

/** Begins a transaction with the statement `begin`, without time limits, on a connection that the caller ends. */
export type OpenTransaction = (begin: string) => Promise<Client>;

/** Runs `work`, which may read whole tables, on one snapshot: read-only, on its own connection, without time limits. */
export type InSnapshot = <T>(work: (snapshot: Runner) => Promise<T>) => Promise<T>;

/** Makes connections for long work. `close` interrupts the work. Throws DomainError `unavailable` if it cannot connect. */
export const makeUnpooledClients = (options: ConnectionOptions) => {
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
      await client.query(DETECT_LOST_CLIENT);
      return client;
    } catch (error) {
      await client.end();
      throw translateError(error);
    }
  };
  const withClient: WithClient = async (begin, work) => {
    const client = await openTransaction(`${begin}; ${WAIT_FOR_LOCKS}`);
    try {
      return await work(client, () => commitOn(client));
    } catch (error) {
      throw translateError(explainFailure(client, error));
    } finally {
      await client.end();
    }
  };
  const inSnapshot: InSnapshot = (work) =>
    withClient(BEGIN_SNAPSHOT, (client) => work({ query: (statement, values) => runOn(client, statement, values) }));
  return {
    openTransaction,
    withClient,
    inSnapshot,
    close: async () => {
      isClosed = true;
      await Promise.allSettled([...[...open].map((client) => client.end()), ...committing]);
    },
  };
};
