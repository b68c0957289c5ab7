import { readChanges } from './read-changes.ts';

/** A change of a statement, and tests of which one must fail. */
export interface StatementChange {
  readonly file: string;
  /** A text that the file contains once. `⏎` stands for a line break and the spaces after it. */
  readonly from: string;
  readonly to: string;
  readonly testFile: string;
  /** A regular expression for the full titles of the tests. */
  readonly tests: string;
}

const PACKAGE = 'packages/adapters-postgres';

/** Returns the changes that `statement-changes.txt` lists. */
export const readStatementChanges = (): readonly StatementChange[] =>
  readChanges('statement-changes.txt').map(({ head: [file = '', testFile = '', tests = ''], from, to }) => ({
    file: `${PACKAGE}/src/${file}`,
    from,
    to,
    testFile: `${PACKAGE}/test/${testFile}`,
    tests,
  }));

/** Returns the source with the change. @throws Error unless the source contains the changed text once. */
export const applyChange = (source: string, { file, from, to }: StatementChange): string => {
  const parts = from.split('⏎').map((part) => RegExp.escape(part));
  const [before, after, ...more] = source.split(new RegExp(parts.join(String.raw`\n\s*`)));
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`${file} must contain once: ${from}`);
  return `${before}${to.replaceAll('⏎', '\n')}${after}`;
};
