// `npm test`: runs the check scripts and the test suites of package.json. Only in CI, it runs those that take long and seldom
// fail, and the coverage check after the suites that it measures. It continues after a failure. The last line counts tests and
// checks together.
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatCounts, parseCounts } from '../test-support/counts.ts';
import { onInterruption } from './interruption.ts';
import { type Finished, run } from './run.ts';

/** Twice the cores of a small machine, because suites wait for processes and the database. */
const MAX_CONCURRENT_SCRIPTS = 4;
/** The scripts that run only in CI, because they take long and seldom fail. */
const onlyInCi = new Set(['check:packages', 'test:bench']);
const runsHere = (name: string): boolean => Boolean(process.env['CI']) || !onlyInCi.has(name);

/** The suite that takes longest. It starts before the checks. */
const longest = 'test:e2e';
/** The integration tests in two runs. They overlap, because they mostly wait for the database. */
const integration = ['test:integration:postgres', 'test:integration:others'];
/** The other suites. The longest start first. */
const suites = [...integration, 'test:exhaustive', 'test:unit', 'test:bench', 'test:browser'];
/**
 * The suites whose coverage is measured, only in CI: measuring takes up to twice the CPU time. The other suites run the same
 * code again, with more cases or in other processes.
 */
const measured = new Set(process.env['CI'] ? ['test:unit', ...integration] : []);
/** The time limit of one script in milliseconds, enough for a slow machine. It ends tests that never finish. */
const LIMIT_MS = 2 * 60 * 60_000;

const interruption = onInterruption();
const limits = { limitMs: LIMIT_MS, signal: interruption };

/** The folder from which `c8 report` reads coverage. */
const coverage = resolve('coverage/tmp');
rmSync(coverage, { recursive: true, force: true });

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const scriptOf = (name: string): string => scripts[name] ?? `echo "package.json has no script ${name}"; exit 1`;
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:') && runsHere(name));

let passed = 0;
let failed = 0;
let skipped = 0;

const report = (name: string, { ok, seconds, output }: Finished): void => {
  if (ok) passed += 1;
  else failed += 1;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)`);
  if (!ok) console.log(output);
};

const runCheck = async (name: string): Promise<void> => report(name, await run(scriptOf(name), limits));

const runSuite = async (name: string): Promise<void> => {
  let counts: ReturnType<typeof parseCounts>;
  const onLine = (line: string): void => {
    counts = parseCounts(line) ?? counts;
    if (!parseCounts(line)) console.log(line);
  };
  const variables = measured.has(name) ? { NODE_V8_COVERAGE: coverage } : {};
  const { ok, seconds } = await run(scriptOf(name), { ...limits, onLine, variables });
  console.log(`       ${name} (${seconds.toFixed(1)} s)`);
  passed += counts?.passed ?? 0;
  failed += counts?.failed ?? 0;
  skipped += counts?.skipped ?? 0;
  // A run that ended early, for instance because a file does not load, reports no failed test.
  if (!ok && !counts?.failed) failed += 1;
};

const waiting = [longest, ...checks, ...suites.filter(runsHere)];
const unmeasured = new Set(measured);
const work = async (): Promise<void> => {
  for (let name = waiting.shift(); name !== undefined && !interruption.aborted; name = waiting.shift()) {
    await (name.startsWith('test:') ? runSuite(name) : runCheck(name));
    if (unmeasured.delete(name) && unmeasured.size === 0) waiting.unshift('coverage');
  }
};
await Promise.all(Array.from({ length: MAX_CONCURRENT_SCRIPTS }, work));

const omitted = [...onlyInCi].filter((name) => !runsHere(name));
if (omitted.length > 0 && !interruption.aborted) console.log(`not run, because CI is not set: ${omitted.join(', ')}`);
console.log(formatCounts({ passed, failed, skipped }));
// After an interruption, the exit status is already set.
if (failed > 0) process.exitCode ??= 1;
