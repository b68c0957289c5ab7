import { Client } from 'pg';
import { splitHosts, urlParameters } from '../database-url/index.ts';

/** Values of `sslmode` that the package pg 8 treats as `verify-full`: it verifies the certificate and its host name. */
const VERIFYING_MODES = new Set(['prefer', 'require', 'verify-ca']);

/** Parameters that this package handles itself: the driver does not know them, or they are set by a statement. */
const HANDLED_PARAMETERS = [
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'target_session_attrs',
];

/**
 * Milliseconds without a byte after which the system asks whether the other end is still there. Ten seconds later, Node.js ends a
 * connection whose end has gone, also one whose statement the server may still answer.
 */
const KEEP_ALIVE_DELAY_MS = 10_000;

/** Returns the driver's configuration for a URL with one host. */
export const clientConfig = (url: string) => {
  const target = new URL(url);
  const { searchParams } = target;
  const parameters = urlParameters(url);
  for (const name of HANDLED_PARAMETERS) searchParams.delete(name);
  // For the other modes, the driver prints a long warning.
  if (VERIFYING_MODES.has(parameters.get('sslmode') ?? '') && parameters.get('uselibpqcompat') !== 'true') {
    searchParams.set('sslmode', 'verify-full');
  }
  return {
    connectionString: target.href,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
    application_name: 'chapter',
  };
};

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
