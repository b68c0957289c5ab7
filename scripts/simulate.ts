// `npm run simulate`: compares many histories of concurrent clients with a sequential model. With `--seed` alone, it replays
// one history and prints each step.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { formatCounts } from '../test-support/counts.ts';
import { runHistory } from '../test-support/simulation/history.ts';
import { simulateInParallel } from '../test-support/simulation/in-parallel.ts';
import { describeDifferences } from '../test-support/simulation/simulate.ts';
import { openInMemory } from '../test-support/simulation/world.ts';
import { reportCount } from './proof-counts.ts';

const MILLION = 1_000_000;

const readNumber = (name: string, text: string | undefined, fallback: number): number => {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new TypeError(`--${name} must be a whole number, at least 1`);
  return value;
};

const replay = async (seed: number): Promise<void> => {
  await runHistory(seed, openInMemory(), (line) => console.log(line()));
  console.log('The service and the model agree.');
};

const runAll = async (seed: number, histories: number): Promise<void> => {
  const simulated = await simulateInParallel({ seed, histories }, availableParallelism());
  const { differences, outcomes } = simulated;
  for (const [outcome, count] of [...outcomes].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(`  ${outcome}: ${count}`);
  }
  reportCount(simulated.histories, 'histories of concurrent clients compared with a sequential model');
  reportCount(simulated.commands, 'commands in these histories');
  reportCount(simulated.turns, 'turns in which the scheduler chose a client');
  reportCount(simulated.failures, 'port calls made to fail');
  reportCount(simulated.repeats, 'port calls rolled back and repeated');
  if (differences.length > 0) console.log(describeDifferences(simulated));
  console.log(
    formatCounts({ passed: simulated.histories - differences.length, failed: differences.length, skipped: 0 }),
  );
  if (differences.length > 0) process.exitCode = 1;
};

try {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, histories: { type: 'string' } } });
  const seed = readNumber('seed', values.seed, 1);
  if (values.seed !== undefined && values.histories === undefined) await replay(seed);
  else await runAll(seed, readNumber('histories', values.histories, MILLION));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
