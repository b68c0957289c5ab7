import { type DomainError, isDomainError, notFound, taken, unavailable } from '@chapter/domain';

/** What a violated constraint means in the domain. */
const CONSTRAINTS: Readonly<Record<string, () => DomainError>> = {
  user_account_username_key_unique: () => taken('username'),
  user_account_email_key_unique: () => taken('email'),
  user_account_division_id_foreign: notFound,
  division_name_key_unique: () => taken('name'),
};

/**
 * SQLSTATEs, or their classes, of a server that cannot serve now: PostgreSQL, appendix A. A prepared statement that is not
 * there (26000) is one whose preparation, on the same trip, has failed.
 */
const OUTAGE = /^(?:08...|53...|57P0[123]|57014|25006|26000|55P03|40P01|40001|3D000|28...)$/;

/** What Node says of a network that does not carry, and pg of a connection that has gone. */
const LOST = /^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|AI_|NOTFOUND)|^ENOTFOUND$/;
const LOST_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|read timeout|after calling end/i;

const textOf = (error: unknown, field: 'code' | 'constraint' | 'message' | 'severity'): string => {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
};

/** Whether the server has answered, so that it knows how the statement ended and the connection is in order. */
const isAnswer = (error: unknown): boolean => textOf(error, 'severity') !== '';

/** Whether the server refuses a write because it is a standby, or read-only: a new connection may find the primary. */
const isReadOnly = (error: unknown): boolean => textOf(error, 'code') === '25006';

/** Whether the connection that the error came from must not be used again. */
export const isConnectionLost = (error: unknown): boolean =>
  !isDomainError(error) &&
  (isAnswer(error)
    ? textOf(error, 'severity') !== 'ERROR' || isReadOnly(error)
    : LOST.test(textOf(error, 'code')) || LOST_MESSAGE.test(textOf(error, 'message')));

/** Whether the database is away or overloaded. */
export const isOutage = (error: unknown): boolean => OUTAGE.test(textOf(error, 'code')) || isConnectionLost(error);

/** Whether the server has rolled a transaction back for the sake of another, so that a new try may succeed. */
export const isWorthRetrying = (error: unknown): boolean => ['40P01', '40001'].includes(textOf(error, 'code'));

// Messages and details of the database repeat statements and values, hashes of passwords among them.
const withoutValues = (error: unknown): Error => {
  const [code, constraint] = [textOf(error, 'code'), textOf(error, 'constraint')];
  if (!isAnswer(error)) return new Error(`the database is out of reach (${code || textOf(error, 'message')})`);
  return new Error(`the database refused a statement (SQLSTATE ${code}${constraint && `, constraint ${constraint}`})`);
};

/**
 * The error that leaves this package: a DomainError where the cause has a meaning there, `unavailable` where the
 * database is away or overloaded, and else one that repeats neither statement nor value.
 */
export const translateError = (error: unknown): unknown => {
  if (isDomainError(error)) return error;
  const meaning = CONSTRAINTS[textOf(error, 'constraint')];
  if (meaning) return meaning();
  if (isOutage(error)) return unavailable(withoutValues(error));
  return isAnswer(error) ? withoutValues(error) : error;
};

/** Runs something and lets its errors out as {@link translateError} makes them. */
export const translated = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw translateError(error);
  }
};
