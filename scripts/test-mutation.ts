// What `npm run test:mutation` runs: changes the rules in every way that Stryker knows, and wants a test to fail each time.
// It ends with the line that scripts/test.ts ends with: one check, passed or failed.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { formatCounts } from './counts.ts';
import { PROOF_COUNTS, reportCount } from './proof-counts.ts';
import { run } from './run.ts';

interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

/** What Stryker must have looked at, whatever its configuration says. */
const must = 'packages/domain/src/policy.ts';

const report = 'reports/mutation.json';
rmSync(report, { force: true });
const { ok } = await run('stryker run', (line) => console.log(line), {
  // The tests that Stryker runs report no counts of their own.
  [PROOF_COUNTS]: '',
});
const { files } = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Report) : { files: {} };
const mutants = files[must]?.mutants.filter(({ status }) => status !== 'Ignored') ?? [];
const alive = mutants.filter(({ status }) => status !== 'Killed' && status !== 'Timeout').length;
console.log(`${must}: ${mutants.length - alive} of ${mutants.length} mutants killed`);

const all = Object.values(files).flatMap(({ mutants }) => mutants.filter(({ status }) => status !== 'Ignored'));
const killed = all.filter(({ status }) => status === 'Killed' || status === 'Timeout').length;
reportCount(killed, `mutants killed, of ${all.length}`);

const passed = ok && mutants.length > 0 && alive === 0;
console.log(formatCounts({ passed: Number(passed), failed: Number(!passed), skipped: 0 }));
if (!passed) process.exitCode = 1;
