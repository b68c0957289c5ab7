/** The one in the middle, or the mean of the two there. NaN for none. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  const [before = Number.NaN, middle = Number.NaN] = [sorted[half - 1], sorted[half]];
  return sorted.length % 2 === 0 ? (before + middle) / 2 : middle;
};

/** The value below which this part of a sample lies (nearest rank), of values with how often each came. NaN for none. */
export const quantileOf = (counted: readonly (readonly [value: number, times: number])[], part: number): number => {
  const sorted = counted.toSorted(([one], [other]) => one - other);
  const rank = Math.max(1, Math.ceil(sum(sorted.map(([, times]) => times)) * part));
  let passed = 0;
  for (const [value, times] of sorted) {
    passed += times;
    if (passed >= rank) return value;
  }
  return Number.NaN;
};

/** The sum. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** A ratio that was measured. */
export interface Ratio {
  readonly value: number;
  /** The standard error: how far the value is likely to be from that of endlessly many measurements. NaN for fewer than two. */
  readonly error: number;
}

/** All of the one by all of the other, measured in pairs, each at its time. */
export const ratioOf = (pairs: readonly (readonly [one: number, other: number])[]): Ratio => {
  const others = sum(pairs.map(([, other]) => other));
  const value = sum(pairs.map(([one]) => one)) / others;
  const variance = sum(pairs.map(([one, other]) => (one - value * other) ** 2)) / (pairs.length - 1);
  const error = pairs.length < 2 ? Number.NaN : Math.sqrt(variance * pairs.length) / others;
  return { value, error };
};

/** A number with so many digits behind the point, and a dash for what is none. */
export const fixed = (value: number, digits: number): string => (Number.isFinite(value) ? value.toFixed(digits) : '–');

/** A number with as many digits as it is worth: three, and all that stand before the point. */
export const shown = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};
