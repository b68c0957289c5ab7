// `npm run test:mutation`: runs Stryker on the rules and the use cases. A test must fail for each mutant that is not accepted.
// The last line has the same format as that of scripts/test.ts.
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { formatCounts } from '../test-support/counts.ts';
import { judge, type MutationReport, readAcceptedMutants } from '../test-support/proof/mutation/judge.ts';
import { compare, PROOF_COUNTS } from '../test-support/proof/report.ts';
import { run } from '../test-support/run.ts';
import { onInterruption } from './interruption.ts';

const REPORT = 'reports/mutation.json';
/** Fewer mutants show that files or mutators are missing. */
const MIN_MUTANTS = 1500;

const config = JSON.parse(readFileSync('stryker.config.json', 'utf8')) as { readonly mutate: readonly string[] };
const files = config.mutate.flatMap((pattern) => globSync(pattern)).toSorted();

rmSync(REPORT, { force: true });
// The tests that Stryker runs must not report counts.
const { ok } = await run(`stryker run --mutate '${files.join(',')}'`, {
  onLine: (line) => console.log(line),
  variables: { [PROOF_COUNTS]: '' },
  signal: onInterruption(),
});
const report = existsSync(REPORT) ? (JSON.parse(readFileSync(REPORT, 'utf8')) as MutationReport) : { files: {} };
const { accepted, detected, stale, survivors } = judge(report, readAcceptedMutants());
const missing = files.filter((file) => !Object.hasOwn(report.files, file));

for (const file of missing) console.log(`not in the report: ${file}`);
for (const survivor of survivors) console.log(`survives: ${survivor}`);
for (const { file, line, replacement } of stale)
  console.log(`accepted mutant does not exist: ${file} ${line} → ${replacement}`);
console.log(
  `${detected} of ${detected + survivors.length} mutants in ${files.length} files detected, ${accepted} more accepted`,
);
const isComplete = await compare('mutants that a test detects', MIN_MUTANTS, ({ add, same }) => {
  add(detected);
  for (const survivor of survivors) same('survives', 'is detected', survivor);
}).then(
  () => true,
  (error: unknown) => console.error(error),
);

const passed = ok && isComplete === true && missing.length + stale.length === 0;
console.log(formatCounts({ passed: Number(passed), failed: Number(!passed), skipped: 0 }));
if (!passed) process.exitCode ??= 1;
