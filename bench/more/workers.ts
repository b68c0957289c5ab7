import type { Kind, World } from '../kinds.ts';
import type { LoadGenerator } from '../load/load.ts';
import { type ServerSettings, startServer } from '../measure/server.ts';
import { median } from '../report/numbers.ts';
import { requestsOf } from '../rounds.ts';

/** Requests a second of one process and of two, at one kind of request. */
export const measureWorkers = async (
  kind: Kind,
  world: World,
  generator: LoadGenerator,
  settings: ServerSettings,
  { turns, ...load }: { readonly connections: number; readonly seconds: number; readonly turns: number },
): Promise<{ readonly one: number; readonly two: number }> => {
  const servers = [];
  try {
    for (const workers of [1, 2]) servers.push(await startServer('service', { ...settings, workers }));
    const requests = requestsOf(kind, world);
    const rates: number[][] = servers.map(() => []);
    for (let round = 0; round <= turns; round++) {
      for (const [at, { url }] of servers.entries()) {
        const result = await generator.run({ ...load, requests, url, rate: null });
        // The first one warms up.
        if (round > 0) rates[at]?.push(result.requests / result.seconds);
      }
    }
    const [one = 0, two = 0] = rates.map(median);
    return { one, two };
  } finally {
    for (const server of servers) await server.stop();
  }
};
