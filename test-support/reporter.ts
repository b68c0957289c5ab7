import Mocha, { type MochaOptions, type Runner, type Test } from 'mocha';
import { formatCounts } from './counts.ts';
import { skipReason } from './skip.ts';

/** Prints dots and failures, then the skipped tests with their reasons. The last line of the run is the counts. */
export default class CountReporter extends Mocha.reporters.Dot {
  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    const skipped: Test[] = [];
    runner.on('pending', (test) => skipped.push(test));
    runner.once('end', () => {
      for (const test of skipped) console.log(`skipped: ${test.fullTitle()} (${skipReason(test)})`);
      const { passes: passed, failures: failed } = this.stats;
      // On exit, so that output of hooks and servers does not follow it.
      process.once('exit', () => console.log(formatCounts({ passed, failed, skipped: skipped.length })));
    });
  }
}
