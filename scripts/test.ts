// `npm test`: runs the checks and the test suites of scripts/test-parts.json. Only in CI, it runs those that take long and seldom
// fail, and the coverage check after the suites that it measures. It continues after a failure. The last line counts tests and
// checks together.
//
// `npm test -- PART…` runs only these parts. `npm test -- PATH` or another argument of Mocha, also after suites, starts Mocha.
import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatCounts, parseCounts } from '../test-support/counts.ts';
import { type Finished, run } from '../test-support/run.ts';
import { onInterruption } from './interruption.ts';

/** Twice the cores of a small machine, because suites wait. In CI as many, because measuring coverage makes services slow. */
const MAX_CONCURRENT_PARTS = process.env['CI'] ? 2 : 4;
/** The parts that run only in CI, because they take long and seldom fail. */
const onlyInCi = new Set(['packages', 'bench', 'runtimes']);
/**
 * The suites whose coverage is measured, only in CI: measuring takes up to twice the CPU time. The other suites run the same
 * code again, with more cases or in other processes.
 */
const MEASURED = ['unit', 'integration:postgres', 'integration:others'];
/** The time limit of one part in milliseconds, enough for a slow machine. It ends tests that never finish. */
const LIMIT_MS = 2 * 60 * 60_000;

/** The commands of the checks, and the arguments of Mocha for each suite. */
interface Parts {
  readonly checks: Readonly<Record<string, string>>;
  /** The longest start first. Integration and e2e tests are two suites each, which overlap, because they mostly wait. */
  readonly suites: Readonly<Record<string, readonly string[]>>;
  readonly coverage: string;
}
const { checks, coverage, suites } = JSON.parse(readFileSync('scripts/test-parts.json', 'utf8')) as Parts;
const names = [...Object.keys(checks), ...Object.keys(suites)];

/** Returns the parts with this name, such as `integration` or `integration:postgres`. */
const partsNamed = (name: string): readonly string[] =>
  names.filter((part) => part === name || part.startsWith(`${name}:`));

const args = process.argv.slice(2);
const firstOther = args.findIndex((arg) => partsNamed(arg).length === 0);
const named = (firstOther === -1 ? args : args.slice(0, firstOther)).flatMap(partsNamed);
const others = firstOther === -1 ? [] : args.slice(firstOther);

/** Runs Mocha in this process, so that it gets all signals. */
const runMocha = async (): Promise<void> => {
  process.argv.splice(2, args.length, ...named.flatMap((part) => suites[part] ?? []), ...others);
  await import(resolve('node_modules/mocha/bin/mocha.js'));
};

const quote = (text: string): string => `'${text}'`;
const commandOf = (part: string): string =>
  checks[part] ?? (part === 'coverage' ? coverage : `exec mocha ${(suites[part] ?? []).map(quote).join(' ')}`);

/** Runs the parts at the same time, and sets the exit status. */
const runParts = async (parts: readonly string[], measured: ReadonlySet<string>): Promise<void> => {
  const interruption = onInterruption();
  const limits = { limitMs: LIMIT_MS, signal: interruption };
  /** The folder from which `c8 report` reads coverage. */
  const coverageFolder = resolve('coverage/tmp');
  rmSync(coverageFolder, { recursive: true, force: true });

  let passed = 0;
  let failed = 0;
  let skipped = 0;

  const report = (part: string, { ok, seconds, output }: Finished): void => {
    if (ok) passed += 1;
    else failed += 1;
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${part} (${seconds.toFixed(1)} s)`);
    if (!ok) console.log(output);
  };

  const runSuite = async (part: string): Promise<void> => {
    let counts: ReturnType<typeof parseCounts>;
    const onLine = (line: string): void => {
      counts = parseCounts(line) ?? counts;
      if (!parseCounts(line)) console.log(line);
    };
    const variables = measured.has(part) ? { NODE_V8_COVERAGE: coverageFolder } : {};
    const isLast = (): boolean => counts !== undefined;
    const { ok, seconds } = await run(commandOf(part), { ...limits, isLast, onLine, variables });
    console.log(`       ${part} (${seconds.toFixed(1)} s)`);
    passed += counts?.passed ?? 0;
    failed += counts?.failed ?? 0;
    skipped += counts?.skipped ?? 0;
    // A run that ended early, for instance because a file does not load, reports no failed test. A run without tests proves nothing.
    const isEmpty = !counts || counts.passed + counts.skipped === 0;
    if ((!ok || isEmpty) && !counts?.failed) failed += 1;
  };

  const waiting = [...parts];
  const unmeasured = new Set(measured);
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined && !interruption.aborted; part = waiting.shift()) {
      if (part in suites) await runSuite(part);
      else report(part, await run(commandOf(part), limits));
      if (unmeasured.delete(part) && unmeasured.size === 0) waiting.unshift('coverage');
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_PARTS }, work));

  const omitted = parts === named ? [] : [...onlyInCi].filter((part) => !parts.includes(part));
  if (omitted.length > 0 && !interruption.aborted) {
    console.log(`not run, because CI is not set: ${omitted.join(', ')}`);
  }
  console.log(formatCounts({ passed, failed, skipped }));
  // After an interruption, the exit status is already set.
  if (failed > 0) process.exitCode ??= 1;
};

/** All parts to run by default: the suite that takes longest, then the checks, then the other suites. */
const allParts = (isCi: boolean): readonly string[] => {
  const [longest = '', ...shorter] = Object.keys(suites);
  return [longest, ...Object.keys(checks), ...shorter].filter((part) => isCi || !onlyInCi.has(part));
};

if (args.length > 0 && named.every((part) => part in suites)) {
  await runMocha();
} else if (args.length > 0) {
  await runParts(named, new Set());
} else {
  const isCi = Boolean(process.env['CI']);
  await runParts(allParts(isCi), new Set(isCi ? MEASURED : []));
}
