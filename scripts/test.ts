// What `npm test` runs: the scripts of package.json that check, then all tests, then whether they cover enough.
// It goes on after a failure, and ends with one line that counts tests and checks together.
import { readFileSync } from 'node:fs';
import { formatCounts, parseCounts } from './counts.ts';
import { type Finished, run } from './run.ts';

const atOnce = 2;
/** Takes longer than all the others together, and seldom finds anything. */
const onlyInCi = 'check:packages';

type Name = 'test:all' | 'coverage';
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
    for (let next = waiting.shift(); next; next = waiting.shift()) report(next[0], await run(next[1]));
  };
  await Promise.all(Array.from({ length: atOnce }, work));
};

const runTests = async (): Promise<void> => {
  let counts: ReturnType<typeof parseCounts>;
  const { ok } = await run(scripts['test:all'], (line) => {
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
report('coverage', await run(scripts.coverage));

console.log(formatCounts({ passed, failed, skipped }));
if (failed > 0) process.exitCode = 1;
