import { isDomainError } from '@chapter/domain';

/** Patterns in the text of an error (SQLSTATEs: PostgreSQL, appendix A) and the reason to show to the operator. */
const DATABASE_FAULT_REASONS: readonly (readonly [RegExp, string])[] = [
  [/SQLSTATE 28/, 'it rejects the user or the password'],
  [/SQLSTATE 3D000/, 'the server has no database with that name'],
  [/SQLSTATE 53300/, 'all its connections are in use'],
  [/SQLSTATE 57P03/, 'it is starting or stopping'],
  [/SQLSTATE 42501/, 'its user lacks the necessary rights'],
  [/SQLSTATE (?:0A000|58P01)/, 'an extension is missing on the server (pg_trgm or btree_gin)'],
  [/client password/, 'it requires a password, but none is configured'],
  [/ECONNREFUSED/, 'the connection was refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name cannot be resolved'],
  [/support SSL/, 'it does not support TLS, but the URL requires it'],
  [/certificate/, 'its certificate is not trusted'],
];

/** The error of an adapter that refuses a server or cannot lock a table; it contains the reason. */
const REFUSED = /the (?:database server|migration) was refused: (.*)/;

/** Returns why a database cannot be used, as part of a sentence for the operator; undefined if unknown. */
export const databaseFault = (error: unknown): string | undefined => {
  const { cause } = isDomainError(error) ? error : { cause: error };
  const text = String(cause);
  if (cause instanceof AggregateError && !('code' in cause)) {
    const faults = cause.errors.map(
      (host: Error) => `${host.message}: ${databaseFault(host.cause) ?? 'it does not respond'}`,
    );
    return `none of its hosts can be used (${faults.join('; ')})`;
  }
  return REFUSED.exec(text)?.[1] ?? DATABASE_FAULT_REASONS.find(([pattern]) => pattern.test(text))?.[1];
};
