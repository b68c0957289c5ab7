/** The one in the middle, or the mean of the two there. NaN for none. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  const [before = Number.NaN, middle = Number.NaN] = [sorted[half - 1], sorted[half]];
  return sorted.length % 2 === 0 ? (before + middle) / 2 : middle;
};

/** The sum. */
export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** How far the mean of values is likely to be from what endlessly many of them would come to. NaN for fewer than two. */
export const standardError = (values: readonly number[]): number => {
  const mean = sum(values) / values.length;
  const squares = values.map((value) => (value - mean) ** 2);
  return Math.sqrt(sum(squares) / (values.length - 1) / values.length);
};

/** A number with as many digits as it is worth: three, and all that stand before the point. */
export const shown = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};
