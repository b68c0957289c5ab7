import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** The number of comparisons of one kind. */
export interface ProofCount {
  readonly count: number;
  readonly compared: string;
}

/** The environment variable that names the file for the counts of a run, set by `npm run prove`. */
export const PROOF_COUNTS = 'PROOF_COUNTS';

/** Prints a count, and passes it to `npm run prove` if that started the run. */
export const reportCount = (count: number, compared: string): void => {
  console.log(`      ${count} ${compared}`);
  const path = process.env[PROOF_COUNTS];
  if (path) appendFileSync(path, `${JSON.stringify({ count, compared } satisfies ProofCount)}\n`);
};

/** Returns the counts that a run appended to its file. */
export const readCounts = (path: string): readonly ProofCount[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as ProofCount)
    : [];
