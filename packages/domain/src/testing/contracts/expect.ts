import { type DomainError, type DomainErrorCode, isDomainError } from '../../model/errors.ts';

const shown = (value: unknown): string => JSON.stringify(value) ?? String(value);

const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const same = (a: unknown, b: unknown): boolean => {
  if (!isPlain(a) || !isPlain(b) || Array.isArray(a) !== Array.isArray(b)) return Object.is(a, b);
  const [left, right] = [Object.keys(a), Object.keys(b)];
  return left.length === right.length && left.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
};

const failure = (message: string, actual: unknown, expected: unknown): Error =>
  Object.assign(new Error(message), { actual, expected });

/** Throws unless both are the same plain value, all through; `what` says in the message what was looked at. */
export const expectEqual = (actual: unknown, expected: unknown, what = 'it'): void => {
  if (same(actual, expected)) return;
  throw failure(`${what} is ${shown(actual)}, not ${shown(expected)}`, actual, expected);
};

/** Throws if both are the same plain value. */
export const expectDifferent = (actual: unknown, other: unknown, what = 'it'): void => {
  if (same(actual, other)) throw failure(`${what} is ${shown(actual)} again`, actual, other);
};

/** Waits for the promise to be refused with a DomainError of this code, and gives the error. Throws if it is not. */
export const expectRefusal = async (code: DomainErrorCode, promise: Promise<unknown>): Promise<DomainError> => {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (isDomainError(error) && error.code === code) return error;
  throw Object.assign(new Error(`it ends with ${error instanceof Error ? error.message : shown(error)}, not ${code}`), {
    cause: error,
  });
};

/** What became of promises that race: the values of those that were kept, and the codes of those that were refused. */
export const outcomesOf = async <T>(
  promises: readonly Promise<T>[],
): Promise<{ readonly kept: readonly T[]; readonly refused: readonly DomainErrorCode[] }> => {
  const settled = await Promise.allSettled(promises);
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
  return {
    kept: settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    refused: refused.map((reason) => {
      if (isDomainError(reason)) return reason.code;
      throw reason instanceof Error ? reason : new Error(shown(reason));
    }),
  };
};
