import { Worker } from 'node:worker_threads';
import type { Simulated, SimulateOptions } from './simulate.ts';

const inThread = (workerData: Pick<SimulateOptions, 'seed' | 'histories'>): Promise<Simulated> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('a thread ended before its histories were complete')));
  });

const sum = (one: Simulated, other: Simulated): Simulated => {
  const outcomes = new Map(one.outcomes);
  for (const [outcome, count] of other.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
  return {
    histories: one.histories + other.histories,
    commands: one.commands + other.commands,
    turns: one.turns + other.turns,
    failures: one.failures + other.failures,
    repeats: one.repeats + other.repeats,
    outcomes,
    differences: [...one.differences, ...other.differences],
  };
};

/** Runs seeded histories in memory, in several threads. The histories are the same as in one thread. */
export const simulateInParallel = async (
  { seed, histories }: Pick<SimulateOptions, 'seed' | 'histories'>,
  threads: number,
): Promise<Simulated> => {
  const share = Math.ceil(histories / threads);
  const starts = Array.from({ length: threads }, (_, at) => at * share).filter((start) => start < histories);
  const results = await Promise.all(
    starts.map((start) => inThread({ seed: seed + start, histories: Math.min(share, histories - start) })),
  );
  return results.reduce(sum);
};
