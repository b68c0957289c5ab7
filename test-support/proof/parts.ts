import { globSync } from 'node:fs';
import { join } from 'node:path';
import { markdownTable } from '../../packages/domain/src/policy/describe-policy.ts';
import { parseCounts } from '../counts.ts';
import { makeFolder } from '../folders.ts';
import { type RunOptions, run } from '../run.ts';
import { isProven, PROOF_COUNTS, type ProofCount, readCounts } from './report.ts';

/** What a part runs: a shell command that reports its comparisons, and ends with the counts of passed and failed tests. */
interface ProofRun {
  /** In words. */
  readonly runs: string;
  readonly command: string;
  /** Additional environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A part of the proof. `quick` is a share that takes at most a minute, if there is one. */
export interface ProofPart extends ProofRun {
  readonly name: string;
  readonly quick: ProofRun | null;
}

/** A row of the table. */
export interface ProofRow extends ProofCount {
  readonly part: string;
}

/**
 * Makes a part that runs test files, in full with these variables. The pattern is expanded here, because mocha takes one with
 * braces only for a path.
 *
 * @throws Error if no file matches the pattern.
 */
export const testsOf = (name: string, pattern: string, variables: ProofPart['variables'] = {}): ProofPart => {
  const files = globSync(pattern).toSorted();
  if (files.length === 0) throw new Error(`no test file matches ${pattern}`);
  const runs = `${files.length} test ${files.length === 1 ? 'file' : 'files'}`;
  const worlds = variables['FC_RUNS'];
  const command = `mocha --forbid-pending ${files.join(' ')}`;
  return {
    name,
    runs: worlds ? `${runs}, ${worlds} worlds` : runs,
    command,
    variables: { PROOF: 'full', ...variables },
    quick: { runs, command },
  };
};

const domain = 'packages/domain/test/authorization';
const histories = (count: number) => ({
  runs: `${count} histories`,
  command: `node scripts/simulate.ts --histories ${count}`,
});

/** The parts of the proof in the order in which they run. */
export const parts: readonly ProofPart[] = [
  testsOf(
    'enumeration',
    `{${domain}/@(authorize|bad-input|decisions|fields|frozen|malformed|scope),packages/domain/test/use-cases/get-permissions}.test.ts`,
  ),
  testsOf('walk', `${domain}/walk*.test.ts`),
  testsOf('worlds', `${domain}/differential.test.ts`, { FC_RUNS: '10000' }),
  testsOf('cedar', `{test/cedar-model,${domain}/{use-cases,wrong-policies}}.test.ts`),
  testsOf('questions', 'packages/domain/test/access/access.test.ts'),
  testsOf('http', 'packages/adapters-http/test/authorization/*.test.ts'),
  testsOf('postgres-worlds', 'packages/adapters-postgres/test/database/visibility.integration.test.ts'),
  { name: 'simulation', ...histories(1_000_000), quick: histories(10_000) },
  testsOf('postgres-simulation', 'packages/adapters-postgres/test/database/simulation.integration.test.ts'),
  { name: 'mutants', runs: 'Stryker', command: 'node scripts/test-mutation.ts', quick: null },
];

/** The parts of the quick proof. */
export const quickParts = parts.flatMap(({ name, quick }) => (quick ? [{ name, ...quick }] : []));

/** Runs a part and returns its rows, at least one. Failed tests beyond those of its rows are a row of their own. */
export const runPart = async (
  { name, command, variables = {} }: Omit<ProofPart, 'quick' | 'runs'>,
  { onLine = () => {}, signal }: Pick<RunOptions, 'onLine' | 'signal'> = {},
): Promise<readonly ProofRow[]> => {
  const path = join(makeFolder(), 'counts');
  let failed = 0;
  const { ok } = await run(command, {
    onLine: (line) => {
      failed = parseCounts(line)?.failed ?? failed;
      onLine(line);
    },
    variables: { ...variables, [PROOF_COUNTS]: path },
    ...(signal ? { signal } : {}),
  });
  const rows = readCounts(path);
  const others = (ok ? failed : Math.max(failed, 1)) - rows.filter((row) => !isProven(row)).length;
  const other = { compared: 'other tests that failed', count: others, atLeast: 0, differences: others };
  const none = { compared: 'no count was reported', count: 0, atLeast: 1, differences: 0 };
  const all = [...(rows.length > 0 ? rows : [none]), ...(others > 0 ? [other] : [])];
  return all.map((row) => Object.assign({ part: name }, row));
};

/** Formats all rows as a table. */
export const proofTable = (rows: readonly ProofRow[]): string =>
  markdownTable([
    ['Part', 'Compared', 'Count', 'Differences'],
    ...rows.map(({ part, compared, count, atLeast, differences }) => [
      part,
      compared,
      count < atLeast ? `${count} of at least ${atLeast}` : String(count),
      String(differences),
    ]),
  ]);
