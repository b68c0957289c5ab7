// `npm run simulate`: compares many histories of concurrent clients with a sequential model. With `--seed` alone, it replays
// one history and prints each step.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { formatCounts } from '../test-support/counts.ts';
import { compare, reportCount } from '../test-support/proof/report.ts';
import { runHistory } from '../test-support/proof/simulation/history.ts';
import { simulateInParallel } from '../test-support/proof/simulation/in-parallel.ts';
import { replayCommand } from '../test-support/proof/simulation/simulate.ts';
import { openInMemory } from '../test-support/proof/simulation/world.ts';

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
  const { differences, outcomes, ...counts } = await simulateInParallel({ seed, histories }, availableParallelism());
  for (const [outcome, count] of [...outcomes].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(`  ${outcome}: ${count}`);
  }
  await compare('histories of concurrent clients compared with a sequential model', histories, ({ add, same }) => {
    add(counts.histories - differences.length);
    for (const one of differences) same(one.message, '', replayCommand(one.seed));
  });
  reportCount(counts.commands, 'commands in these histories', histories);
  reportCount(counts.turns, 'turns in which the scheduler chose a client', histories);
  reportCount(counts.failures, 'port calls made to fail', Math.floor(histories / 100));
  reportCount(counts.repeats, 'port calls rolled back and repeated', Math.floor(histories / 100));
  console.log(formatCounts({ passed: histories, failed: 0, skipped: 0 }));
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
