/**
 * How well a threshold tells two samples apart: the area under the ROC curve, which is the chance that one of the second
 * is greater than one of the first, ties counting half. 0.5 tells nothing; 0 and 1 tell everything. NaN for none.
 */
export const areaUnderCurve = (first: readonly number[], second: readonly number[]): number => {
  let greater = 0;
  for (const one of first) for (const other of second) greater += other > one ? 1 : other === one ? 0.5 : 0;
  return greater / (first.length * second.length);
};

/** The value below which this part of the sample lies: nearest rank. NaN for none. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
};
