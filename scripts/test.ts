// What `npm test` runs: the scripts of package.json that check, then those that test, then whether tests cover enough.
// It goes on after a failure, and ends with one line that counts tests and checks together.
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatCounts, parseCounts } from '../test-support/counts.ts';
import { onInterruption } from './interruption.ts';
import { type Finished, run } from './run.ts';

/** Checks that run at a time. */
const CHECK_LANES = 2;
/** Suites that run at a time: one more, because `test:e2e` waits for the processes that it starts most of the time. */
const TEST_LANES = 3;
/** Takes longer than all the others together, and seldom finds anything. */
const onlyInCi = 'check:packages';

/** The longest first. */
const suites = ['test:e2e', 'test:integration', 'test:exhaustive', 'test:unit', 'test:bench', 'test:browser'] as const;
/**
 * The suites that coverage is measured in. It doubles the CPU time of computations, and the others run the same code again:
 * in more cases, or in processes of its own.
 */
const measured = new Set<string>(['test:unit', 'test:integration']);
/** Milliseconds for one script, on a slow machine too. Without a limit, a test that never ends would keep the run alive. */
const LIMIT_MS = 2 * 60 * 60_000;

const interruption = onInterruption();
const limits = { limitMs: LIMIT_MS, signal: interruption };

/** Where `c8 report` looks for what ran. */
const coverage = resolve('coverage/tmp');

type Name = (typeof suites)[number] | 'coverage';
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<Name, string> };

let passed = 0;
let failed = 0;
let skipped = 0;

const report = (name: string, { ok, seconds, output }: Finished): void => {
  if (ok) passed += 1;
  else failed += 1;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
  if (!ok) console.log(output);
};

const runChecks = async (): Promise<void> => {
  const waiting = Object.entries(scripts).filter(
    ([name]) => name.startsWith('check:') && (process.env['CI'] || name !== onlyInCi),
  );
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !interruption.aborted; next = waiting.shift()) {
      report(next[0], await run(next[1], limits));
    }
  };
  await Promise.all(Array.from({ length: CHECK_LANES }, work));
};

const runTests = async (): Promise<void> => {
  rmSync(coverage, { recursive: true, force: true });
  const waiting: Name[] = [...suites];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name && !interruption.aborted; name = waiting.shift()) {
      let counts: ReturnType<typeof parseCounts>;
      const onLine = (line: string): void => {
        counts = parseCounts(line) ?? counts;
        if (!parseCounts(line)) console.log(line);
      };
      const { ok, seconds } = await run(scripts[name], {
        ...limits,
        onLine,
        variables: measured.has(name) ? { NODE_V8_COVERAGE: coverage } : {},
      });
      console.log(`       ${name} (${seconds.toFixed(1)} s)`);
      passed += counts?.passed ?? 0;
      failed += counts?.failed ?? 0;
      skipped += counts?.skipped ?? 0;
      // A run that broke off, for instance on a file that does not load, has no count or a count without a failure.
      if (!ok && !counts?.failed) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: TEST_LANES }, work));
};

await runChecks();
if (!interruption.aborted) await runTests();
if (!interruption.aborted) report('coverage', await run(scripts.coverage, limits));

console.log(formatCounts({ passed, failed, skipped }));
// After an interruption the status says so.
if (failed > 0) process.exitCode ??= 1;
