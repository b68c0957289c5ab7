// `npm run prove`: runs all proofs of the access rules. Prints one table of the counts that the runs report, and ends with
// the number of rows that passed and failed. Arguments are the names of the parts to run; without any, it runs all.
import { formatCounts } from '../test-support/counts.ts';
import { onInterruption } from './interruption.ts';
import { isProven, type ProofPart, type ProofRow, proofTable, runPart, testsOf } from './proof.ts';

const domain = 'packages/domain/test/authorization';
const http = 'packages/adapters-http/test/authorization';

export const parts: readonly ProofPart[] = [
  testsOf(
    'enumeration',
    `{${domain}/@(authorize|bad-input|exhaustive|fields|frozen|malformed|properties|scope),packages/domain/test/use-cases/rechecks}.test.ts`,
  ),
  testsOf('walk', `${domain}/walk*.test.ts`),
  testsOf('worlds', `${domain}/{differential,who-can}.test.ts`, { FC_RUNS: '10000' }),
  testsOf('cedar', `{test/cedar-model,${domain}/cedar-*}.test.ts`),
  testsOf('http', `${http}/every-decision.test.ts`),
  testsOf('http-worlds', `${http}/worlds.test.ts`, { FC_RUNS: '5000' }),
  testsOf('http-cedar', `${http}/cedar.test.ts`),
  testsOf('postgres-worlds', 'packages/adapters-postgres/test/visibility.integration.test.ts'),
  { name: 'simulation', command: 'node scripts/simulate.ts' },
  testsOf('postgres-simulation', 'packages/adapters-postgres/test/simulation.integration.test.ts'),
  { name: 'mutants', command: 'node scripts/test-mutation.ts' },
];

const prove = async (names: readonly string[]): Promise<void> => {
  const unknown = names.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) {
    console.error(`unknown part ${unknown}; the parts are ${parts.map(({ name }) => name).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const signal = onInterruption();
  const rows: ProofRow[] = [];
  for (const part of parts.filter(({ name }) => names.length === 0 || names.includes(name))) {
    if (signal.aborted) return;
    const lines: string[] = [];
    const started = performance.now();
    const added = await runPart(part, { onLine: (line) => lines.push(line), signal });
    rows.push(...added);
    const ok = added.every(isProven);
    if (!ok) console.log(lines.join('\n'));
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${part.name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
  console.log(`\n${proofTable(rows)}`);
  const failed = rows.filter((row) => !isProven(row)).length;
  console.log(formatCounts({ passed: rows.length - failed, failed, skipped: 0 }));
  if (failed > 0) process.exitCode = 1;
};

if (import.meta.main) await prove(process.argv.slice(2));
