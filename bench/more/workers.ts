import { cpus } from 'node:os';
import type { Kind, World } from '../kinds.ts';
import type { LoadGenerator } from '../load/load.ts';
import { perSecond } from '../measure/measure.ts';
import { type ServerSettings, startServer } from '../measure/server.ts';
import { median, sum } from '../report/numbers.ts';
import { requestsOf } from '../rounds.ts';

/** What a second worker gives. */
export interface Workers {
  /** Requests a second of one worker and of two. */
  readonly one: number;
  readonly two: number;
  /** How many of the machine's processors are not idle while one worker is under load: also for whoever shares them. */
  readonly busy: number;
  readonly processors: number;
  readonly errors: number;
}

/** Seconds that the machine's processors had nothing to do, all together. */
const idleSeconds = (): number => sum(cpus().map(({ times: { idle } }) => idle)) / 1000;

/** Puts the greatest load on one worker and on two, in turn, at one kind of request. */
export const measureWorkers = async (
  kind: Kind,
  world: World,
  generator: LoadGenerator,
  settings: ServerSettings,
  { turns, ...load }: { readonly connections: number; readonly seconds: number; readonly turns: number },
): Promise<Workers> => {
  const servers = [];
  try {
    for (const workers of [1, 2]) servers.push(await startServer('service', { ...settings, workers }));
    const requests = requestsOf(kind, world);
    const rates: number[][] = servers.map(() => []);
    const busy: number[] = [];
    let errors = 0;
    for (let round = 0; round <= turns; round++) {
      for (const [at, { url }] of servers.entries()) {
        const [began, idle] = [performance.now(), idleSeconds()];
        const result = await generator.run({ ...load, requests, url, rate: null });
        errors += result.errors;
        // The first one warms up.
        if (round === 0) continue;
        rates[at]?.push(perSecond(result));
        if (at === 0) busy.push(cpus().length - (idleSeconds() - idle) / ((performance.now() - began) / 1000));
      }
    }
    const [one = 0, two = 0] = rates.map(median);
    return { one, two, busy: median(busy), processors: cpus().length, errors };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
};
