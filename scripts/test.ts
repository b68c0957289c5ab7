// What `npm test` runs: the check:… scripts of package.json, then all tests under c8, then the coverage threshold.
// It goes on after a failure, and ends with one line that counts tests and checks together.
import { readFileSync } from 'node:fs';
import { formatCounts, parseCounts } from './counts.ts';
import { type Finished, run } from './run.ts';

const atOnce = 2;
/** Takes longer than all the others together, and seldom finds anything. */
const onlyInCi = 'check:packages';

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
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const waiting = Object.entries(scripts).filter(
    ([name]) => name.startsWith('check:') && (process.env['CI'] || name !== onlyInCi),
  );
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) report(next[0], await run(next[1]));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};

const runTests = async (): Promise<void> => {
  let counts: ReturnType<typeof parseCounts>;
  // c8 adds up what all processes below it have run; its report is asked for afterwards, with the threshold.
  const { ok } = await run('exec c8 --reporter none node node_modules/mocha/bin/mocha.js', (line) => {
    counts = parseCounts(line) ?? counts;
    if (!parseCounts(line)) console.log(line);
  });
  passed += counts?.passed ?? 0;
  failed += counts?.failed ?? 0;
  skipped += counts?.skipped ?? 0;
  // A run that broke off, for instance on a file that does not load, has no count or a count without a failure.
  if (!ok && !counts?.failed) failed += 1;
};

await runChecks();
await runTests();
report('coverage', await run('exec c8 report --check-coverage'));

console.log(formatCounts({ passed, failed, skipped }));
if (failed > 0) process.exitCode = 1;
