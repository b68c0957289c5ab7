export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the value at a part of the sorted values, interpolated between the two around it; NaN for no values. */
export const quantile = (values: readonly number[], part: number): number => {
  const at = (values.length - 1) * part;
  const sorted = values.toSorted((one, other) => one - other);
  const [low = Number.NaN, high = low] = sorted.slice(Math.floor(at), Math.floor(at) + 2);
  return low + (high - low) * (at % 1);
};

/** Returns the median; NaN for no values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5);

export const percentiles = (values: readonly number[]) => ({ p50: median(values), p99: quantile(values, 0.99) });

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
