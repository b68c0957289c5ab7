import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markdownTable } from '../packages/domain/src/index.ts';
import { parseCounts } from '../test-support/counts.ts';
import { PROOF_COUNTS, readCounts } from './proof-counts.ts';
import { type RunOptions, run } from './run.ts';

/** A part of the proof: a shell command that reports its comparisons, and ends with the counts of passed and failed tests. */
export interface ProofPart {
  readonly name: string;
  readonly command: string;
  /** Additional environment variables of the command. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A row of the table. */
export interface ProofRow {
  readonly part: string;
  readonly compared: string;
  readonly count: number;
  /** The number of failed tests of the part. */
  readonly differences: number;
}

/**
 * Makes a part that runs test files in full. The pattern is expanded here, because mocha takes one with braces only for a path.
 *
 * @throws Error if no file matches the pattern.
 */
export const testsOf = (name: string, pattern: string, variables: ProofPart['variables'] = {}): ProofPart => {
  const files = globSync(pattern).toSorted();
  if (files.length === 0) throw new Error(`no test file matches ${pattern}`);
  return {
    name,
    command: `mocha --forbid-pending ${files.join(' ')}`,
    variables: { PROOF: 'full', ...variables },
  };
};

/** Runs a part and returns its rows, at least one. A run that fails without a failed test counts as one difference. */
export const runPart = async (
  { name, command, variables = {} }: ProofPart,
  { onLine = () => {}, signal }: Pick<RunOptions, 'onLine' | 'signal'> = {},
): Promise<readonly ProofRow[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'proof-'));
  const path = join(directory, 'counts');
  try {
    let failed = 0;
    const { ok } = await run(command, {
      onLine: (line) => {
        failed = parseCounts(line)?.failed ?? failed;
        onLine(line);
      },
      variables: { ...variables, [PROOF_COUNTS]: path },
      ...(signal ? { signal } : {}),
    });
    const differences = ok ? failed : Math.max(failed, 1);
    const counts = readCounts(path);
    const rows = counts.length > 0 ? counts : [{ compared: 'no count was reported', count: 0 }];
    return rows.map(({ compared, count }) => ({ part: name, compared, count, differences }));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

/** Whether there were comparisons and no difference. */
export const isProven = ({ count, differences }: ProofRow): boolean => count > 0 && differences === 0;

/** Formats all rows as a table. */
export const proofTable = (rows: readonly ProofRow[]): string =>
  markdownTable([
    ['Part', 'Compared', 'Count', 'Differences'],
    ...rows.map(({ part, compared, count, differences }) => [part, compared, String(count), String(differences)]),
  ]);
