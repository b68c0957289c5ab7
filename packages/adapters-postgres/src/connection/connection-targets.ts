import { Client } from 'pg';
import { splitHosts } from '../database-url/index.ts';
import { clientConfig } from './client-config.ts';

/** A host that the driver connects to. */
export interface ConnectionTarget {
  /** A name, an address without brackets, or the directory of a Unix socket. */
  readonly host: string;
  readonly isPlainText: boolean;
}

/**
 * Returns the hosts of a database URL as the driver reads them. The driver also reads the environment, such as `PGHOST` and
 * `PGSSLMODE`. A URL that the driver rejects, for example because a file of a certificate is missing, has no targets.
 */
export const connectionTargetsOf = (url: string): readonly ConnectionTarget[] => {
  try {
    return splitHosts(url).map((single) => {
      const { host, ssl } = new Client(clientConfig(single));
      return { host, isPlainText: !ssl };
    });
  } catch {
    return [];
  }
};
