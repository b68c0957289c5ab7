/** Returns the sum of numbers. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the median; NaN for no values. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length / 2;
  const middle = sorted.slice(Math.ceil(half) - 1, Math.floor(half) + 1);
  return sum(middle) / middle.length;
};

/** Returns percentiles by nearest rank; NaN for no values. */
const nearestRanks = (values: readonly number[], ...parts: readonly number[]): readonly number[] => {
  const sorted = values.toSorted((one, other) => one - other);
  return parts.map((part) => sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN);
};

/** Returns the p50 and the p99. */
export const percentiles = (values: readonly number[]): { readonly p50: number; readonly p99: number } => {
  const [p50 = Number.NaN, p99 = Number.NaN] = nearestRanks(values, 0.5, 0.99);
  return { p50, p99 };
};

/** Returns the lower and the upper quartile. */
export const quartiles = (values: readonly number[]): readonly [number, number] => {
  const [low = Number.NaN, high = Number.NaN] = nearestRanks(values, 0.25, 0.75);
  return [low, high];
};

/**
 * Returns how well a threshold distinguishes two samples: the area under the ROC curve, which is the probability that a value
 * of the second is greater than one of the first, where ties count half. At 0.5, it distinguishes nothing; at 0 or 1, everything.
 */
export const areaUnderCurve = (first: readonly number[], second: readonly number[]): number => {
  const wins = first.flatMap((one) => second.map((other) => (other > one ? 1 : other === one ? 0.5 : 0)));
  return sum(wins) / wins.length;
};

/** Formats a number with three significant digits, and all digits before the point; a dash for NaN. */
export const format = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};
