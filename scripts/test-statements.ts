// `npm run test:statements`: makes each change of test-support/proof/mutation/statement-changes.txt to a statement of
// adapters-postgres. A test must fail for each. The last line has the same format as that of scripts/test.ts. `-- WORDS` makes
// only the changes in files whose path contains WORDS.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';
import { formatCounts } from '../test-support/counts.ts';
import { closeTestDatabases } from '../test-support/database.ts';
import { loadTests, useModuleVersions } from '../test-support/module-versions.ts';
import {
  applyChange,
  readStatementChanges,
  type StatementChange,
} from '../test-support/proof/mutation/statement-changes.ts';
import { onInterruption } from './interruption.ts';

const PACKAGE = pathToFileURL('packages/adapters-postgres/').href;
/** Milliseconds after which a test fails. */
const LIMIT_MS = 300_000;

/** How often the tests of a change run until one fails: without a lock, not every race goes wrong. */
const MAX_TRIES = 3;

type Tests = Pick<StatementChange, 'testFile' | 'tests'>;

const signal = onInterruption();
const [words = ''] = process.argv.slice(2);
const changes = readStatementChanges().filter(({ file }) => file.includes(words));

if (changes.length === 0) {
  console.error(`no statement in a file whose path contains ${words} has a change`);
  process.exit(2);
}

let runs = 0;
let made: StatementChange | undefined;

// Each run loads the package again, with its tests. Everything else is loaded once.
const useVersion = useModuleVersions((url) => url.startsWith(PACKAGE));
registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!made || url.split('?')[0] !== pathToFileURL(made.file).href) return loaded;
    return { ...loaded, source: applyChange(readFileSync(made.file, 'utf8'), made) };
  },
});

/** Runs tests with a change, up to the first failure. Returns its title, or undefined if all tests pass. */
const findFailure = async ({ testFile, tests }: Tests, change?: StatementChange): Promise<string | undefined> => {
  runs += 1;
  useVersion(runs);
  made = change;
  const failures: string[] = [];
  function reporter(runner: Mocha.Runner): void {
    runner.on('fail', (test, error: Error) => failures.push(`${test.fullTitle()}: ${error.message}`));
  }
  const mocha = new Mocha({
    reporter: reporter as unknown as typeof Mocha.reporters.Base,
    timeout: LIMIT_MS,
    bail: true,
    grep: new RegExp(tests),
    forbidPending: true,
  });
  await loadTests(mocha, testFile);
  const runner = await new Promise<Mocha.Runner>((resolve) => {
    const running = mocha.run(() => resolve(running));
  });
  mocha.dispose();
  if (runner.stats?.tests === 0)
    throw new Error(`no test in ${testFile} that matches ${tests} has run: ${failures[0]}`);
  return failures[0];
};

/** Tests without a change must pass, otherwise their failures show nothing. */
const unchanged: readonly Tests[] = Object.entries(Object.groupBy(changes, ({ testFile }) => testFile)).map(
  ([testFile, group = []]) => ({ testFile, tests: [...new Set(group.map(({ tests }) => tests))].join('|') }),
);

let [detected, failed] = [0, 0];
for (const tests of unchanged) {
  if (signal.aborted) break;
  const failure = await findFailure(tests);
  if (failure === undefined) continue;
  failed += 1;
  console.log(`fails without a change: ${failure}`);
}
for (const change of changes) {
  if (signal.aborted) break;
  let failure: string | undefined;
  for (let tries = 0; failure === undefined && tries < MAX_TRIES; tries += 1) {
    failure = await findFailure(change, change).catch((error: unknown) => {
      console.log(error);
      return undefined;
    });
  }
  if (failure === undefined) failed += 1;
  else detected += 1;
  if (failure === undefined) console.log(`survives: ${JSON.stringify(change)}`);
}
await closeTestDatabases();
console.log(`${detected} of ${changes.length} changes of statements detected`);
console.log(formatCounts({ passed: detected, failed, skipped: 0 }));
if (failed > 0) process.exitCode ??= 1;
// Without it, Node may wait for ever for sockets that were reset while they hung (nodejs/node#54918).
process.exit();
