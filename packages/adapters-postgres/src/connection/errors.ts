import { type DomainError, isDomainError, notFound, taken, unavailable } from '@chapter/domain/ports';

/** The domain error for each constraint that a request can violate. */
const CONSTRAINTS: Readonly<Record<string, () => DomainError>> = {
  user_account_username_key_unique: () => taken('username'),
  user_account_email_key_unique: () => taken('email'),
  user_account_division_id_foreign: notFound,
  division_name_key_unique: () => taken('name'),
};

/**
 * SQLSTATEs, or their classes, of a server that is unavailable: PostgreSQL, appendix A. An unknown prepared statement
 * (26000) means that its preparation failed, earlier on the same round trip.
 */
const OUTAGE = /^(?:08...|53...|57P0[123]|57014|25006|26000|55000|55P03|40P01|40001|3D000|28...)$/;

/** Error codes of Node for an unreachable network, and messages of pg and of a failed `connect` for a lost connection. */
const LOST = /^E(?:CONN|PIPE|TIMEDOUT|HOST|NET|AI_|NOTFOUND)/;
const LOST_MESSAGE =
  /^connect E|Connection terminated|timeout exceeded when trying to connect|not queryable|read timeout|after calling end/i;

const textOf = (error: unknown, field: 'code' | 'constraint' | 'message' | 'severity'): string => {
  const value: unknown = error instanceof Error ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : '';
};

/** Whether the server reported the error, so that the outcome of the statement is known and the connection is intact. */
const isFromServer = (error: unknown): boolean => textOf(error, 'severity') !== '';

/**
 * Whether the server refuses a write because it is read-only, or what only a primary does (55000) because it is a
 * standby. A new connection may reach the primary.
 */
const isReadOnly = (error: unknown): boolean => ['25006', '55000'].includes(textOf(error, 'code'));

/** Whether the connection that the error came from must not be used again. */
export const isConnectionLost = (error: unknown): boolean =>
  !isDomainError(error) &&
  (isFromServer(error)
    ? textOf(error, 'severity') !== 'ERROR' || isReadOnly(error)
    : LOST.test(textOf(error, 'code')) || LOST_MESSAGE.test(textOf(error, 'message')));

/** Whether the database is unreachable or overloaded. */
export const isOutage = (error: unknown): boolean => OUTAGE.test(textOf(error, 'code')) || isConnectionLost(error);

/** Whether the server rolled the transaction back because of a concurrent one, so that a retry may succeed. */
export const isWorthRetrying = (error: unknown): boolean => ['40P01', '40001'].includes(textOf(error, 'code'));

/** Whether a lock of another transaction made a statement fail: lock_not_available or deadlock_detected. */
export const isLockConflict = (error: unknown): boolean => ['55P03', '40P01'].includes(textOf(error, 'code'));

// Messages and details from the database repeat statements and values, including password hashes.
const withoutStatement = (error: unknown): Error => {
  const [code, constraint] = [textOf(error, 'code'), textOf(error, 'constraint')];
  if (!isFromServer(error)) return new Error(`the database is unreachable (${code || textOf(error, 'message')})`);
  return new Error(`the database refused a statement (SQLSTATE ${code}${constraint && `, constraint ${constraint}`})`);
};

/**
 * Returns the error that leaves this package: a DomainError if the domain has one for the cause, `unavailable` if the
 * database is unreachable or overloaded, otherwise an error without statements and values.
 */
export const translateError = (error: unknown): unknown => {
  if (isDomainError(error)) return error;
  const makeDomainError = CONSTRAINTS[textOf(error, 'constraint')];
  if (makeDomainError) return makeDomainError();
  if (isOutage(error)) return unavailable(withoutStatement(error));
  return isFromServer(error) ? withoutStatement(error) : error;
};

/** Runs `work` and translates its errors with {@link translateError}. */
export const translated = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw translateError(error);
  }
};
