import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { inspect, isDeepStrictEqual } from 'node:util';

/** The result of all comparisons of one kind. */
export interface ProofCount {
  readonly compared: string;
  readonly count: number;
  /** The smallest count that proves anything. */
  readonly atLeast: number;
  readonly differences: number;
}

/** The environment variable that names the file for the counts of a run, set by `npm run prove`. */
export const PROOF_COUNTS = 'PROOF_COUNTS';

/** Returns whether there were enough comparisons and no difference. */
export const isProven = ({ count, atLeast, differences }: Omit<ProofCount, 'compared'>): boolean =>
  count >= atLeast && differences === 0;

/** Prints a row, and passes it to `npm run prove` if that started the run. */
const print = (row: ProofCount): void => {
  const { compared, count, differences } = row;
  console.log(`      ${count} ${compared}${differences > 0 ? `, ${differences} of them different` : ''}`);
  const path = process.env[PROOF_COUNTS];
  if (path) appendFileSync(path, `${JSON.stringify(row)}\n`);
};

const requireEnough = ({ compared, count, atLeast }: ProofCount): void => {
  if (count < atLeast) throw new Error(`only ${count} ${compared}; expected at least ${atLeast}`);
};

/** Reports a count without differences. @throws Error if it is smaller than `atLeast`. */
export const reportCount = (count: number, compared: string, atLeast: number): void => {
  const row = { compared, count, atLeast, differences: 0 };
  print(row);
  requireEnough(row);
};

/** Returns the counts that a run appended to its file. */
export const readCounts = (path: string): readonly ProofCount[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as ProofCount)
    : [];

/** How work reports its comparisons to {@link compare}. */
interface Tally {
  /** Counts a comparison of two values. `what` describes the case if they differ. */
  readonly same: (actual: unknown, expected: unknown, what?: unknown) => void;
  /** Counts comparisons that throw at a difference, such as those of a property with random examples. */
  readonly add: (count: number) => void;
}

/** How many differences end a comparison. More of them tell no more. */
const MAX_DIFFERENCES = 5;

/**
 * Does work that compares cases, and reports their number and the number of differences. An error without a difference counts
 * as one, and the fifth difference ends the work.
 *
 * @throws Error after a difference, or if there were fewer than `atLeast` comparisons.
 */
export const compare = async (
  compared: string,
  atLeast: number,
  work: (tally: Tally) => void | Promise<void>,
): Promise<void> => {
  let count = 0;
  const differences: unknown[] = [];
  const same: Tally['same'] = (actual, expected, what) => {
    count += 1;
    if (isDeepStrictEqual(actual, expected)) return;
    differences.push({ case: what, actual, expected });
    if (differences.length === MAX_DIFFERENCES) throw differing();
  };
  const add = (more: number): void => {
    count += more;
  };
  const differing = (): Error =>
    new Error(`${differences.length} differences in ${count} ${compared}: ${inspect(differences, { depth: null })}`);
  const report = (): void => print({ compared, count, atLeast, differences: differences.length });
  try {
    await work({ same, add });
  } catch (error) {
    if (differences.length === 0) differences.push(error);
    report();
    throw error;
  }
  report();
  if (differences.length > 0) throw differing();
  requireEnough({ compared, count, atLeast, differences: 0 });
};
