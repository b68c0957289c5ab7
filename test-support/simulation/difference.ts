import { DomainError } from '../../packages/domain/src/index.ts';

/** Says that the service and the model differ; ends the history. */
export class Difference extends Error {
  override readonly name = 'Difference';
}

/** A value, or what was thrown. */
export type Settled<T> = { readonly value: T } | { readonly error: unknown };

/** Waits for work to end, one way or the other. */
export const settled = async <T>(work: () => Promise<T>): Promise<Settled<T>> => {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
};

/** How something ended, in one word or in JSON. */
export const shown = (outcome: Settled<unknown>): string => {
  if ('value' in outcome) return `ok ${JSON.stringify(outcome.value) ?? ''}`;
  return outcome.error instanceof DomainError ? outcome.error.code : String(outcome.error);
};

/** @throws Difference where both are not the same in JSON. */
export const requireSame = (what: string, actual: unknown, expected: unknown): void => {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Difference(`${what} is ${left}, in the model ${right}`);
};
