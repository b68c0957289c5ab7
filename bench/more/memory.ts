import type { Kind, World } from '../kinds.ts';
import type { LoadGenerator } from '../load/load.ts';
import { memoryOf } from '../measure/processes.ts';
import type { RunningServer } from '../measure/server.ts';
import { median } from '../report/numbers.ts';
import { requestsOf } from '../rounds.ts';

/** Memory of a server, in mebibytes, after every stretch of load. */
export interface MemoryOverTime {
  readonly minutes: number;
  readonly samples: readonly number[];
  /** Medians of the second and of the last fifth: in the first, a process is still growing into its work. */
  readonly early: number;
  readonly late: number;
  readonly errors: number;
}

/** Seconds of one stretch. */
const STRETCH = 5;

/** Puts all kinds of load on a server in turn, for so many minutes, and watches its memory. */
export const watchMemory = async (
  kinds: readonly Kind[],
  world: World,
  generator: LoadGenerator,
  server: RunningServer,
  { minutes, connections }: { readonly minutes: number; readonly connections: number },
): Promise<MemoryOverTime> => {
  const samples: number[] = [];
  let errors = 0;
  const loads = kinds.map((kind) => requestsOf(kind, world));
  const end = performance.now() + minutes * 60_000;
  for (let at = 0; performance.now() < end; at++) {
    const requests = loads[at % loads.length] ?? [];
    const result = await generator.run({ url: server.url, requests, connections, seconds: STRETCH, rate: null });
    errors += result.errors;
    samples.push(memoryOf(server.pid));
  }
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  const [early, late] = [median(samples.slice(fifth, 2 * fifth)), median(samples.slice(-fifth))];
  return { minutes, samples, early, late, errors };
};
