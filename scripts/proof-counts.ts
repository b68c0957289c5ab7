import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** How many of what were compared. */
export interface ProofCount {
  readonly count: number;
  readonly compared: string;
}

/** Names the file that a run's counts are appended to, for `npm run prove`. */
export const PROOF_COUNTS = 'PROOF_COUNTS';

/** Prints a count, and hands it to `npm run prove` where that started the run. */
export const reportCount = (count: number, compared: string): void => {
  console.log(`      ${count} ${compared}`);
  const path = process.env[PROOF_COUNTS];
  if (path) appendFileSync(path, `${JSON.stringify({ count, compared } satisfies ProofCount)}\n`);
};

/** The counts that a run appended to its file. */
export const readCounts = (path: string): readonly ProofCount[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as ProofCount)
    : [];
