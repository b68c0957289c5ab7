import type { ClientConfig } from 'pg';

/** Values of `sslmode` that the package pg 8 treats as `verify-full`: it checks the certificate and the name in it. */
const VERIFYING_MODES = new Set(['prefer', 'require', 'verify-ca']);

/** Parameters that are set by statement, or that the driver does not know. */
const OWN_PARAMETERS = ['statement_timeout', 'idle_in_transaction_session_timeout', 'target_session_attrs'];

/** Returns what the driver needs for connections to a URL with one host. */
export const clientConfig = (url: string): ClientConfig => {
  const target = new URL(url);
  const { searchParams } = target;
  for (const name of OWN_PARAMETERS) searchParams.delete(name);
  // The driver prints a warning of a dozen lines for the other names.
  if (VERIFYING_MODES.has(searchParams.get('sslmode') ?? '') && searchParams.get('uselibpqcompat') !== 'true') {
    searchParams.set('sslmode', 'verify-full');
  }
  return { connectionString: target.href, keepAlive: true, application_name: 'chapter' };
};
