import { enableCompileCache } from 'node:module';
import { constants } from 'node:os';
import type { Context, RootHookObject, Suite } from 'mocha';
import { closeTestDatabases } from './database.ts';
import { killProcesses } from './processes.ts';

// For the test files, which are imported after this file, and the programs that they start. Cached code has no precise coverage.
if (!process.env['NODE_V8_COVERAGE']) process.env['NODE_COMPILE_CACHE'] ??= enableCompileCache().directory ?? '';

/** Milliseconds after the last test within which the process must end by itself. */
const END_MS = 60_000;

/** Ends the run and fails it, because a test has not ended what it started. */
const exitWithFailure = (): void => {
  console.error(
    `All tests have run, but these resources keep the process alive: ${process.getActiveResourcesInfo().join(', ')}.`,
  );
  process.exit(1);
};

// It would end the service. Mocha ignores it if no test runs, and if no listener throws.
process.on('unhandledRejection', (reason) => {
  throw reason;
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killProcesses();
    void closeTestDatabases().finally(() => process.exit(128 + constants.signals[signal]));
  });
}

/** Throws if a block has no test, for instance because the list from which a loop makes its tests is empty. */
const requireTests = (suite: Suite): void => {
  if (suite.total() === 0) throw new Error(`there is no test in ${suite.fullTitle()} (${suite.file})`);
  for (const each of suite.suites) requireTests(each);
};

/** Hooks of the whole run, not of each file. */
export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    if (this.test?.parent) requireTests(this.test.parent);
  },
  async afterAll() {
    // A test that failed or timed out may have left processes.
    killProcesses();
    setTimeout(exitWithFailure, END_MS).unref();
    await closeTestDatabases();
  },
};
