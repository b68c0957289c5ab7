import { constants } from 'node:os';
import type { RootHookObject } from 'mocha';
import { closeTestDatabases } from './database.ts';
import { killProcesses } from './processes.ts';

/** Milliseconds after the last test in which everything that keeps the process alive must have ended. */
const END_MS = 60_000;

/** Ends the run although something is left, and fails it: a test has not ended what it started. */
const endAnyway = (): void => {
  console.error(`The run is over, but these keep it alive: ${process.getActiveResourcesInfo().join(', ')}.`);
  process.exit(1);
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    killProcesses();
    void closeTestDatabases().finally(() => process.exit(128 + constants.signals[signal]));
  });
}

/** Around the whole run, not around each file. */
export const mochaHooks: RootHookObject = {
  async afterAll() {
    // A test that failed, or ran into its time limit, may not have ended them.
    killProcesses();
    setTimeout(endAnyway, END_MS).unref();
    await closeTestDatabases();
  },
};
