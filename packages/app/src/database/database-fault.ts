import { isDomainError } from '@chapter/domain';

/** What is in the text of an error (SQLSTATEs: PostgreSQL, appendix A), and what that is in words for the operator. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/SQLSTATE 28/, 'it refuses the user or the password'],
  [/SQLSTATE 3D000/, 'it has no database of that name'],
  [/SQLSTATE 53300/, 'all of its connections are taken'],
  [/SQLSTATE 57P03/, 'it is starting or stopping'],
  [/SQLSTATE 42501/, 'its user may not do that'],
  [/SQLSTATE (?:0A000|58P01)/, 'an extension is not installed there (pg_trgm or btree_gin)'],
  [/client password/, 'it asks for a password, and none is given'],
  [/ECONNREFUSED/, 'nothing listens there'],
  [/ENOTFOUND|EAI_AGAIN/, 'there is no such host'],
  [/support SSL/, 'it does not speak TLS, and the URL asks for that'],
  [/certificate/, 'its certificate is not one to trust'],
];

/** The words of an adapter that has refused a server, which say what is wrong with it. */
const REFUSED = /the database server was refused: (.*)/;

/** Returns why a database cannot be used, as a part of a sentence for the operator; undefined if that is unknown. */
export const databaseFault = (error: unknown): string | undefined => {
  const { cause } = isDomainError(error) ? error : { cause: error };
  const text = String(cause);
  if (cause instanceof AggregateError && !('code' in cause)) {
    const faults = cause.errors.map(
      (host: Error) => `${host.message}: ${databaseFault(host.cause) ?? 'it does not answer'}`,
    );
    return `none of its hosts can be used (${faults.join('; ')})`;
  }
  return REFUSED.exec(text)?.[1] ?? WORDS.find(([pattern]) => pattern.test(text))?.[1];
};
