import { unavailable } from '@chapter/domain';
import type { Client } from 'pg';
import { hostOf, splitHosts } from '../database-url/index.ts';
import { makeConnectionCheck } from './check-connection.ts';
import { CheckedClient, type Host } from './checked-client.ts';
import { clientConfig } from './client-config.ts';
import { acquireTimeoutOf, type ConnectionOptions } from './options.ts';

const CHECK_INTERVAL_MS = 5000;

/** Returns the hosts that connections may go to, in the order of the URL. Together they take no more than the acquire timeout. */
export const hostsOf = (options: ConnectionOptions): readonly Host[] => {
  const urls = splitHosts(options.url);
  const check = makeConnectionCheck(options);
  const timeout = acquireTimeoutOf(options) / urls.length;
  const { checkInterval = CHECK_INTERVAL_MS } = options;
  return urls.map((url) => ({ name: hostOf(url), config: clientConfig(url), check, timeout, checkInterval }));
};

/** Returns the error for a database none of whose hosts can be used, given the error of each. */
export const noHost = (hosts: readonly Host[], errors: readonly unknown[]): unknown =>
  hosts.length === 1
    ? errors[0]
    : unavailable(
        new AggregateError(
          hosts.map(({ name }, at) => new Error(name, { cause: errors[at] })),
          'no host of the database can be used',
        ),
      );

/**
 * Opens a connection of its own to the first host that can be used. Statements are not pipelined on it.
 *
 * @throws DomainError `unavailable`.
 */
export const openClient = async (options: ConnectionOptions): Promise<Client> => {
  const hosts = hostsOf(options);
  const errors: unknown[] = [];
  for (const host of hosts) {
    try {
      return await new CheckedClient(host).connect();
    } catch (error) {
      errors.push(error);
    }
  }
  throw noHost(hosts, errors);
};
