import { type HistoryCounts, runHistory } from './history.ts';
import { openInMemory, type SimulatedWorld } from './world.ts';

/** The histories to run, and the world to run them on. */
export interface SimulateOptions {
  /** The seed of the first history; the next ones have the next seeds. */
  readonly seed: number;
  readonly histories: number;
  /** Opens an empty world for each history, or a shared one with unique names. In memory by default. */
  readonly open?: (seed: number) => SimulatedWorld;
  /** Changes a world before a history runs on it, to plant a bug. */
  readonly plant?: (world: SimulatedWorld) => SimulatedWorld;
  /** Stops after this many differences. */
  readonly maxDifferences?: number;
}

/** A history in which the service and the model differ. */
interface FoundDifference {
  readonly seed: number;
  readonly message: string;
}

/** Counts and differences of all histories. */
export interface Simulated extends HistoryCounts {
  readonly histories: number;
  readonly differences: readonly FoundDifference[];
}

/** Returns the command that replays a history and prints its steps. */
export const replayCommand = (seed: number): string => `npm run simulate -- --seed ${seed}`;

/** Runs seeded histories in sequence and compares each with the model. */
export const simulate = async ({
  seed: first,
  histories,
  open = openInMemory,
  plant = (world) => world,
  maxDifferences = 10,
}: SimulateOptions): Promise<Simulated> => {
  const totals = { commands: 0, turns: 0, failures: 0, repeats: 0 };
  const outcomes = new Map<string, number>();
  const differences: FoundDifference[] = [];
  let done = 0;
  for (let seed = first; seed < first + histories && differences.length < maxDifferences; seed++) {
    done += 1;
    try {
      const counts = await runHistory(seed, plant(open(seed)));
      for (const name of ['commands', 'turns', 'failures', 'repeats'] as const) totals[name] += counts[name];
      for (const [outcome, count] of counts.outcomes) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + count);
    } catch (error) {
      differences.push({ seed, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return { histories: done, ...totals, outcomes, differences };
};
