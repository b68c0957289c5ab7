import type { AuditedAction } from '../../model/audit-entry.ts';
import { type DomainError, type DomainErrorCode, isDomainError } from '../../model/errors.ts';
import type { Author, Instant } from '../../model/user.ts';
import type { NamedAuditEntry } from '../../ports/audit-log.ts';

const format = (value: unknown): string => JSON.stringify(value) ?? String(value);

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
};

const isEqual = (a: unknown, b: unknown): boolean => {
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  // The keys of other objects, such as a Map, do not contain their values.
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return Object.is(a, b);
  const [left, right] = [Object.keys(a), Object.keys(b)];
  return left.length === right.length && left.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
};

const failure = (message: string, actual: unknown, expected: unknown): Error =>
  Object.assign(new Error(message), { actual, expected });

/**
 * Throws unless both values are deeply equal; `what` names the value in the message. Values consist of primitives,
 * arrays, plain objects and dates. Any other object equals only itself.
 */
export const expectEqual = (actual: unknown, expected: unknown, what = 'it'): void => {
  if (isEqual(actual, expected)) return;
  throw failure(`${what} is ${format(actual)}, not ${format(expected)}`, actual, expected);
};

/** Throws if both values are deeply equal. */
export const expectDifferent = (actual: unknown, other: unknown, what = 'it'): void => {
  if (isEqual(actual, other)) throw failure(`${what} is ${format(actual)} again`, actual, other);
};

/** Waits for a rejection with a DomainError of this code, and returns the error. Throws otherwise. */
export const expectRefusal = async (code: DomainErrorCode, promise: Promise<unknown>): Promise<DomainError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (isDomainError(error) && error.code === code) return error;
  const outcome = error instanceof Error ? error.message : format(error);
  throw new Error(`it ends with ${outcome}, not ${code}`, { cause: error });
};

/** Waits for all promises. Returns the values of those fulfilled and the codes of the DomainErrors of those rejected. */
export const outcomesOf = async <T>(
  promises: readonly Promise<T>[],
): Promise<{ readonly values: readonly T[]; readonly refused: readonly DomainErrorCode[] }> => {
  const settled = await Promise.allSettled(promises);
  const refused = settled.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
  return {
    values: settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    refused: refused.map((reason) => {
      if (isDomainError(reason)) return reason.code;
      throw reason instanceof Error ? reason : new Error(format(reason));
    }),
  };
};

/** Throws unless the entry has exactly these values; its id may be any UUID of version 7. */
export const expectEntry = (
  entry: NamedAuditEntry | undefined,
  { author, ...expected }: AuditedAction & { readonly at: Instant; readonly author: Author },
): void => {
  const { userId: authorId, name: authorName, requestId } = author;
  const { id, targetName: _, ...written } = entry ?? { id: '' };
  expectEqual(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), true, 'a UUID');
  expectEqual(written, { leftDivisionId: null, ...expected, authorId, authorName, requestId }, 'the entry');
};
