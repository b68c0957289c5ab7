export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Parses a line such as `12 passed, 0 failed, 1 skipped`. Returns undefined for other lines. */
export const parseCounts = (line: string): Counts | undefined => {
  const match = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(line);
  return match ? { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3] ?? 0) } : undefined;
};

/** Formats counts for {@link parseCounts}. */
export const formatCounts = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** Returns the cases of a test. @throws Error if there are fewer, so that a test without cases does not pass. */
export const atLeast = <T>(count: number, cases: readonly T[]): readonly T[] => {
  if (cases.length < count) throw new Error(`expected at least ${count} cases, but there are ${cases.length}`);
  return cases;
};
