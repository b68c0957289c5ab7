import type { ClientConfig } from 'pg';
import { urlParameters } from '../database-url/index.ts';

/** Values of `sslmode` that the package pg 8 treats as `verify-full`: it verifies the certificate and its host name. */
const VERIFYING_MODES = new Set(['prefer', 'require', 'verify-ca']);

/** Parameters that this package handles itself: the driver does not know them, or they are set by a statement. */
const HANDLED_PARAMETERS = ['statement_timeout', 'idle_in_transaction_session_timeout', 'target_session_attrs'];

/** Returns the driver's configuration for a URL with one host. */
export const clientConfig = (url: string): ClientConfig => {
  const target = new URL(url);
  const { searchParams } = target;
  const parameters = urlParameters(url);
  for (const name of HANDLED_PARAMETERS) searchParams.delete(name);
  // For the other modes, the driver prints a long warning.
  if (VERIFYING_MODES.has(parameters.get('sslmode') ?? '') && parameters.get('uselibpqcompat') !== 'true') {
    searchParams.set('sslmode', 'verify-full');
  }
  return { connectionString: target.href, keepAlive: true, application_name: 'chapter' };
};
