// A test runner for Stryker. It runs mocha in Stryker's worker, and for each mutant only the tests that reach it. The plugin
// @stryker-mutator/mocha-runner can replace this file when it supports mocha 12: version 10.0.0 does not load with mocha 12.0.3,
// whose `lib/cli` files are named `.cjs`.
import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  INSTRUMENTER_CONSTANTS,
  type InstrumenterContext,
  type Mutant,
  type StrykerOptions,
} from '@stryker-mutator/api/core';
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import Mocha, { type Runnable, type Runner, type Suite } from 'mocha';
import { loadTests, useModuleVersions } from '../../module-versions.ts';
import { findAccepted, readAcceptedMutants } from './judge.ts';

type Context = { [Name in keyof InstrumenterContext]: InstrumenterContext[Name] | undefined };

/** The data that Stryker's instrumented code and this runner share. */
const context = ((globalThis as unknown as Record<string, Partial<Context>>)[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});

const bailRecursively = (suite: Suite, bail: boolean): void => {
  suite.bail(bail);
  for (const each of suite.suites) bailRecursively(each, bail);
};

const hasTest = ({ suites, tests }: Suite, titles: RegExp): boolean =>
  tests.some((test) => titles.test(test.fullTitle())) || suites.some((suite) => hasTest(suite, titles));

const resultOf = (test: Runnable) => ({
  id: test.fullTitle(),
  name: test.fullTitle(),
  timeSpentMs: test.duration ?? 0,
});

const makeMocha = (onResult: (result: TestResult) => void): Mocha => {
  function reporter(runner: Runner): void {
    runner.on('pass', (test) => onResult({ ...resultOf(test), status: TestStatus.Success }));
    runner.on('pending', (test) => onResult({ ...resultOf(test), status: TestStatus.Skipped }));
    runner.on('fail', (test, error: Error) =>
      onResult({ ...resultOf(test), status: TestStatus.Failed, failureMessage: error.message || 'the test failed' }),
    );
  }
  const mocha = new Mocha({ reporter: reporter as unknown as typeof Mocha.reporters.Base, timeout: 0 });
  mocha.cleanReferencesAfterRun(false);
  mocha.suite.beforeEach(function () {
    context.currentTestId = this.currentTest?.fullTitle();
  });
  return mocha;
};

const accepted = readAcceptedMutants();

/** Counts lines and columns from 1, as reports do. */
const fromOne = ({ start, end }: Mutant['location']) => ({
  start: { line: start.line + 1, column: start.column + 1 },
  end: { line: end.line + 1, column: end.column + 1 },
});

/** Whether a mutant may survive. It is not run, because all its tests would have to pass. */
const isAccepted = ({ fileName, location, replacement }: Mutant, sandboxFile: string): boolean =>
  findAccepted(accepted, relative('.', sandboxFile), readFileSync(fileName, 'utf8'), {
    location: fromOne(location),
    replacement,
  }) !== undefined;

const FOLDER = pathToFileURL('./').href;
const useVersion = useModuleVersions((url) => url.startsWith(FOLDER) && !url.includes('/node_modules/'));

const makeRunner = ({ mochaFiles }: StrykerOptions): TestRunner => {
  let results: TestResult[] = [];
  // The order of the patterns: the first failing test ends a run, so the fastest tests come first.
  const paths = (mochaFiles as readonly string[]).flatMap((pattern) => globSync(pattern).toSorted());
  const makeFiles = () =>
    paths.map((path) => ({ path, mocha: makeMocha((result) => results.push(result)), isLoaded: false }));
  const unchanged = makeFiles();
  let versions = 0;

  const load = async (file: (typeof unchanged)[number]): Promise<void> => {
    if (!file.isLoaded) await loadTests(file.mocha, file.path);
    file.isLoaded = true;
  };

  /** Loads and runs the files one after the other, so that a static mutant rarely needs all of them. */
  const run = async (bail: boolean, { activeMutant, mutantActivation, testFilter }: Partial<MutantRunOptions> = {}) => {
    const titles = testFilter ? new RegExp(`^(?:${testFilter.map((title) => RegExp.escape(title)).join('|')})$`) : /./;
    results = [];
    const isStatic = mutantActivation === 'static';
    if (isStatic) versions += 1;
    useVersion(isStatic ? versions : 0);
    for (const file of isStatic ? makeFiles() : unchanged) {
      const { mocha } = file;
      context.currentTestId = undefined;
      context.activeMutant = isStatic ? activeMutant?.id : undefined;
      await load(file);
      // Mocha takes milliseconds to run none of the tests of a file.
      if (!hasTest(mocha.suite, titles)) continue;
      context.activeMutant = activeMutant?.id;
      bailRecursively(mocha.suite, bail);
      mocha.grep(titles);
      const runner = await new Promise<Runner>((done) => {
        const running = mocha.run(() => done(running));
      });
      // Otherwise each file would keep its listeners on the process.
      runner.dispose();
      if (bail && results.some(({ status }) => status === TestStatus.Failed)) break;
    }
    return { status: DryRunStatus.Complete, tests: results } as const;
  };

  return {
    // A mutant in code that runs while modules load is loaded as a new version of the modules, not in a new worker.
    capabilities: () => ({ reloadEnvironment: true }),

    dryRun: async () => {
      useVersion(0);
      for (const file of unchanged) await load(file);
      // As for a static mutant: the tests must also pass in a second version, without a mutant.
      const result = await run(false, { mutantActivation: 'static' });
      return { ...result, ...(context.mutantCoverage && { mutantCoverage: context.mutantCoverage }) };
    },

    mutantRun: async (options) => {
      const { activeMutant, disableBail, hitLimit, sandboxFileName } = options;
      if (isAccepted(activeMutant, sandboxFileName)) return { status: MutantRunStatus.Survived, nrOfTests: 0 };
      context.hitLimit = hitLimit;
      context.hitCount = hitLimit === undefined ? undefined : 0;
      try {
        const result = await run(!disableBail, options);
        return toMutantRunResult(determineHitLimitReached(context.hitCount, hitLimit) ?? result);
      } catch (error) {
        if (options.mutantActivation !== 'static') throw error;
        // The mutant is detected: without it, the tests load.
        return { status: MutantRunStatus.Killed, killedBy: [], failureMessage: String(error), nrOfTests: 0 };
      }
    },
  };
};

const create = Object.assign(makeRunner, { inject: tokens(commonTokens.options) });

/** The export by which Stryker finds the plugin. */
export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'mocha-in-process', create)];

/** The option that this plugin adds to Stryker: patterns of test files. */
export const strykerValidationSchema = { properties: { mochaFiles: { type: 'array', items: { type: 'string' } } } };
