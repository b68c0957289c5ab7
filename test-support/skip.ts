import type { Context, Runnable, Suite } from 'mocha';

const reasons = new WeakMap<Runnable | Suite, string>();

/** Skips the test, or from a `before` hook every test of its suite. The report prints the reason at its end. */
export const skip = (context: Context, reason: string): never => {
  const { currentTest, test } = context;
  // In a `before` hook, `currentTest` is only the first of the tests to skip.
  const skipped = test?.title.startsWith('"before all"') ? test.parent : (currentTest ?? test);
  if (skipped) reasons.set(skipped, reason);
  return context.skip();
};

/** Returns why a test or its suite was skipped, for the report. */
export const skipReason = (of: Runnable | Suite | undefined): string =>
  of === undefined ? 'no reason given' : (reasons.get(of) ?? skipReason(of.parent));
