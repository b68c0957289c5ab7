import { expect } from 'chai';

type Normalize = (this: string, form?: string) => string;

/** Returns the texts that `run` passes to `String.prototype.normalize`. */
export const normalizedDuring = async (run: () => unknown): Promise<readonly string[]> => {
  const texts: string[] = [];
  const { prototype } = String;
  const original: Normalize = Reflect.get(prototype, 'normalize');
  const record: Normalize = function record(form) {
    texts.push(this);
    return original.call(this, form);
  };
  Object.assign(prototype, { normalize: record });
  try {
    await run();
  } finally {
    Object.assign(prototype, { normalize: original });
  }
  return texts;
};

/** Expects at most `maxUnits`, and in a text of more than 1,024 units no run of more than 30 combining marks. */
export const expectCheapNormalization = (text: string, maxUnits: number): void => {
  expect(text.length).to.be.at.most(maxUnits);
  if (text.length > 1024) expect(/\p{M}{31}/u.test(text)).to.equal(false);
};

/** Returns the text of `units` UTF-16 units that takes longest to normalize: all of its marks have to be reordered. */
export const swappedMarks = (units: number): string =>
  '\u0301'.repeat(Math.ceil(units / 2)) + '\u0316'.repeat(Math.floor(units / 2));
