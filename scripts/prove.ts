// `npm run prove`: runs all proofs of the access rules. Prints what it will run, then one table of the counts that the runs
// report, and ends with the number of rows that passed and failed. Arguments are the names of the parts to run; without any,
// it runs all. With `quick` as the first argument, it runs a share.
import { formatCounts } from '../test-support/counts.ts';
import { type ProofRow, parts, proofTable, quickParts, runPart } from '../test-support/proof/parts.ts';
import { isProven } from '../test-support/proof/report.ts';
import { onInterruption } from './interruption.ts';

const prove = async (mode: 'full' | 'quick', names: readonly string[]): Promise<void> => {
  const available = mode === 'full' ? parts : quickParts;
  const unknown = names.find((name) => !available.some((part) => part.name === name));
  if (unknown !== undefined) {
    console.error(`unknown part ${unknown}; the parts are ${available.map(({ name }) => name).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const chosen = available.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const { name, runs } of chosen) console.log(`${name}: ${runs}`);
  const signal = onInterruption();
  const rows: ProofRow[] = [];
  for (const part of chosen) {
    const lines: string[] = [];
    const started = performance.now();
    const added = await runPart(part, { onLine: (line) => lines.push(line), signal });
    if (signal.aborted) return;
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

const [first, ...rest] = process.argv.slice(2);
if (first === 'quick') await prove('quick', rest);
else await prove('full', process.argv.slice(2));
