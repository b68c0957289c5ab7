import { DomainError } from '../../../packages/domain/src/index.ts';

/** A difference between the service and the model. It ends the history. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** The value or the error of finished work. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** Runs work and returns its value or its error. */
export const settle = async <T>(work: () => Promise<T>): Promise<Settled<T>> => {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
};

/** Formats an outcome: the value as JSON, or the code of the error. */
export const formatOutcome = (outcome: Settled<unknown>): string => {
  if ('value' in outcome) return `ok ${JSON.stringify(outcome.value) ?? ''}`;
  return outcome.error instanceof DomainError ? outcome.error.code : String(outcome.error);
};

/** Compares two values by their JSON. @throws Difference. */
export const requireSame = (what: string, actual: unknown, expected: unknown): void => {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Difference(`${what} is ${left}, but ${right} in the model`);
};
