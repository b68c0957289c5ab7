import { cpus } from 'node:os';
import { deepPages, firstPages, type Kind, reads, requestsOf } from './kinds.ts';
import { median, percentiles, sum } from './report/numbers.ts';
import type { RunningServer } from './server.ts';
import type { Settings } from './settings.ts';
import type { Setup } from './setup.ts';
import { perSecond, type Turn, takeTurns } from './turns.ts';

/** One value for each server. */
export type Both<T> = Readonly<Record<RunningServer['name'], T>>;

/** The greatest load of a kind on both servers. */
export interface KindResult {
  readonly kind: Kind;
  readonly turns: readonly Turn<RunningServer['name']>[];
}

/** Connections of a load that hashes passwords. With more, requests would wait for three seconds and fail. */
export const HASHING_CONNECTIONS = 12;
/** The maximum number of turns at half load. Their latencies are pooled. */
export const HALF_LOAD_TURNS = 7;
const START_AND_WORKER_TURNS = 3;
/** Many turns, because deep and first pages differ little. Short loads, so that the two of a turn are close in time. */
const DEPTH = { turnsPerSecondOfRounds: 4, maxSeconds: 1 };

/** Returns the load of a kind. Loads that hash passwords take longer, because few requests end per second. */
const loadOf = (kind: Kind, { world }: Setup, { seconds, connections }: Settings) => ({
  requests: requestsOf(kind, world),
  seconds: kind.hashes ? seconds * 3 : seconds,
  connections: kind.hashes ? Math.min(connections, HASHING_CONNECTIONS) : connections,
});

/** Starts the service several times, and returns the median of the milliseconds to the first response. */
export const measureStart = async ({ start }: Setup, { rounds }: Settings) => {
  const times: number[] = [];
  for (let turn = 0; turn < Math.min(START_AND_WORKER_TURNS, rounds); turn++) {
    const server = await start('service');
    times.push(server.startedIn);
    await server.stop();
  }
  return { milliseconds: median(times) };
};

/** Puts the greatest load of every kind on both servers. */
export const measureGreatestLoad = async (setup: Setup, servers: Both<RunningServer>, settings: Settings) => {
  const results: KindResult[] = [];
  for (const kind of settings.kinds) {
    const load = loadOf(kind, setup, settings);
    const loads = { baseline: [servers.baseline, load], service: [servers.service, load] } as const;
    results.push({ kind, turns: await takeTurns(setup, kind.name, loads, settings.rounds) });
  }
  return results;
};

/** Puts half of the service's greatest load on both servers. Returns the latencies of each kind, in milliseconds. */
export const measureHalfLoad = async (
  setup: Setup,
  servers: Both<RunningServer>,
  settings: Settings,
  results: readonly KindResult[],
) => {
  const measureHalf = async ({ kind, turns }: KindResult) => {
    const rate = median(turns.map(({ service }) => perSecond(service))) / 2;
    const load = { ...loadOf(kind, setup, settings), rate };
    const loads = { baseline: [servers.baseline, load], service: [servers.service, load] } as const;
    const count = Math.min(HALF_LOAD_TURNS, settings.rounds);
    const halves = await takeTurns(setup, `half load: ${kind.name}`, loads, count);
    const pooled = (name: RunningServer['name']) => percentiles(halves.flatMap((turn) => turn[name].latencies));
    const errors = sum(halves.map(({ baseline, service }) => baseline.errors + service.errors));
    return { name: kind.name, rate, baseline: pooled('baseline'), service: pooled('service'), errors };
  };
  const found: Awaited<ReturnType<typeof measureHalf>>[] = [];
  for (const result of results) found.push(await measureHalf(result));
  return found;
};

/** Compares deep pages of the large division's list with its first page, at the greatest load on the service. */
export const measureDepth = async (setup: Setup, service: RunningServer, settings: Settings) => {
  const load = { connections: settings.connections, seconds: Math.min(DEPTH.maxSeconds, settings.seconds) };
  const first = [service, { ...load, requests: requestsOf(firstPages, setup.world) }] as const;
  const deep = [service, { ...load, requests: requestsOf(deepPages, setup.world) }] as const;
  const count = DEPTH.turnsPerSecondOfRounds * settings.rounds * settings.seconds;
  return { turns: await takeTurns(setup, 'depth', { first, deep }, count), seconds: load.seconds };
};

/** Puts the greatest load of reads on one worker and on two, and returns the requests per second of each. */
export const measureWorkers = async (setup: Setup, settings: Settings) => {
  const load = loadOf(reads, setup, settings);
  const servers = [await setup.start('service'), await setup.start('service', { workers: 2 })] as const;
  const loads = { one: [servers[0], load], two: [servers[1], load] } as const;
  const turns = await takeTurns(setup, 'workers', loads, Math.min(START_AND_WORKER_TURNS, settings.rounds));
  for (const server of servers) await server.stop();
  return {
    one: median(turns.map(({ one }) => perSecond(one))),
    two: median(turns.map(({ two }) => perSecond(two))),
    processors: cpus().length,
    errors: sum(turns.map(({ one, two }) => one.errors + two.errors)),
  };
};

/** Puts all kinds of load on the service in turn. Returns its median memory in the second and the last fifth, in MiB. */
export const measureMemory = async (setup: Setup, service: RunningServer, settings: Settings) => {
  const { kinds, minutes } = settings;
  const samples: number[] = [];
  let errors = 0;
  const end = performance.now() + minutes * 60_000;
  while (performance.now() < end) {
    for (const kind of kinds) {
      const measured = await setup.measure(service, loadOf(kind, setup, settings));
      errors += measured.errors;
      samples.push(measured.memory);
    }
  }
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  // The first fifth does not count, because the process still grows.
  const [early, late] = [median(samples.slice(fifth, 2 * fifth)), median(samples.slice(-fifth))];
  return { minutes, early, late, max: Math.max(...samples), errors };
};
