import { Client } from 'pg';
import { splitHosts } from '../database-url/index.ts';
import { clientConfig } from './client-config.ts';

/** A host that the driver connects to. */
export interface ConnectionTarget {
  /** A name, an address without brackets, or the directory of a Unix socket. */
  readonly host: string;
  readonly isPlainText: boolean;
}

/** Returns the target of a URL with one host, or undefined if the driver rejects it. */
const targetOf = (url: string): ConnectionTarget | undefined => {
  try {
    const { host, ssl } = new Client(clientConfig(url));
    return { host, isPlainText: !ssl };
  } catch {
    return undefined;
  }
};

/**
 * Returns the hosts of a database URL as the driver reads them, each once. The driver also reads the environment, such as
 * `PGHOST` and `PGSSLMODE`. A host that the driver rejects, for example because a file of a certificate is missing, is no
 * target.
 */
export const connectionTargetsOf = (url: string): readonly ConnectionTarget[] => {
  const targets = splitHosts(url).flatMap((single) => targetOf(single) ?? []);
  return [...new Map(targets.map((target) => [target.host, target])).values()];
};
