// `npm test`: runs the check scripts of package.json, then the test scripts, then the coverage check. It continues after a
// failure. The last line counts tests and checks together.
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatCounts, parseCounts } from '../test-support/counts.ts';
import { onInterruption } from './interruption.ts';
import { type Finished, run } from './run.ts';

/** The number of checks that run concurrently. */
const CHECK_CONCURRENCY = 2;
/** The number of suites that run concurrently: one more, because `test:e2e` mostly waits for processes. */
const SUITE_CONCURRENCY = 3;
/** The slowest check, which rarely fails. */
const CI_ONLY_CHECK = 'check:packages';

/** The longest suites start first. */
const suites = ['test:e2e', 'test:integration', 'test:exhaustive', 'test:unit', 'test:bench', 'test:browser'] as const;
/**
 * The suites whose coverage is measured, which doubles their CPU time. The other suites run the same code with more cases or in
 * other processes.
 */
const measuredSuites = new Set<string>(['test:unit', 'test:integration']);
/** The time limit of one script in milliseconds. It stops tests that never finish, and is long enough for a slow machine. */
const LIMIT_MS = 2 * 60 * 60_000;

const interruption = onInterruption();
const limits = { limitMs: LIMIT_MS, signal: interruption };

/** The folder from which `c8 report` reads coverage. */
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
    ([name]) => name.startsWith('check:') && (process.env['CI'] || name !== CI_ONLY_CHECK),
  );
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !interruption.aborted; next = waiting.shift()) {
      report(next[0], await run(next[1], limits));
    }
  };
  await Promise.all(Array.from({ length: CHECK_CONCURRENCY }, work));
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
        variables: measuredSuites.has(name) ? { NODE_V8_COVERAGE: coverage } : {},
      });
      console.log(`       ${name} (${seconds.toFixed(1)} s)`);
      passed += counts?.passed ?? 0;
      failed += counts?.failed ?? 0;
      skipped += counts?.skipped ?? 0;
      // A run that ended early, for instance because a file does not load, reports no failed test.
      if (!ok && !counts?.failed) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: SUITE_CONCURRENCY }, work));
};

await runChecks();
if (!interruption.aborted) await runTests();
if (!interruption.aborted) report('coverage', await run(scripts.coverage, limits));

console.log(formatCounts({ passed, failed, skipped }));
// After an interruption, the exit status is already set.
if (failed > 0) process.exitCode ??= 1;
