import { expect } from 'chai';

/** Returns the texts that `String.prototype.normalize` is called with while `run` runs. */
export const normalizedDuring = async (run: () => unknown): Promise<readonly string[]> => {
  const texts: string[] = [];
  const { normalize } = String.prototype;
  const replace = (value: typeof normalize) =>
    Object.defineProperty(String.prototype, 'normalize', { value, writable: true, configurable: true });
  replace(function record(this: string, form?: string): string {
    texts.push(String(this));
    return normalize.call(this, form);
  });
  try {
    await run();
  } finally {
    replace(normalize);
  }
  return texts;
};

/** Expects that a text can be normalized in linear time: up to `maxUnits`, beyond 1,024 units without a long run of marks. */
export const expectCheap = (text: string, maxUnits: number): void => {
  expect(text.length).to.be.at.most(maxUnits);
  if (text.length > 1024) expect(/\p{M}{31}/u.test(text)).to.equal(false);
};

/** Text of `units` UTF-16 units that takes the longest to normalize: marks that all have to be put in another order. */
export const swappedMarks = (units: number): string =>
  '\u0301'.repeat(Math.ceil(units / 2)) + '\u0316'.repeat(Math.floor(units / 2));
