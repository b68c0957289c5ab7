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
