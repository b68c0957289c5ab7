import { type Kind, type LoadRequest, type World } from './kinds.ts';
import type { LoadGenerator } from './load/load.ts';
import { type Measurement, measure, perSecond } from './measure/measure.ts';
import type { RunningServer } from './measure/server.ts';

/** All measurements of a kind: one of floor and service each round. */
export interface KindRounds {
  readonly kind: Kind;
  readonly rounds: readonly { readonly floor: Measurement; readonly service: Measurement }[];
}

/** What rounds are run with. */
export interface RoundPorts {
  readonly generator: LoadGenerator;
  readonly databasePid: number;
  /** Does what autovacuum would do later, beside somebody's measurement. */
  readonly vacuum: () => Promise<unknown>;
  readonly floor: RunningServer;
  readonly service: RunningServer;
  readonly world: World;
  readonly connections: number;
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** Different requests of a kind, so that no caller, target or token is always the same. */
const VARIETY = 5000;

/** The requests of a kind. */
export const requestsOf = (kind: Kind, world: World): readonly LoadRequest[] =>
  Array.from({ length: VARIETY }, (_, at) => kind.request(world, at));

/** Connections of a load that hashes passwords: with more, some would wait for three seconds and be refused. */
export const HASHING_CONNECTIONS = 12;

/**
 * Returns the length, in seconds, and the connections of a load of a kind. Passwords take so long that few requests end
 * in the time of others.
 */
export const loadOf = (
  { hashes }: Kind,
  { seconds, connections }: Pick<RoundPorts, 'seconds' | 'connections'>,
): Pick<RoundPorts, 'seconds' | 'connections'> =>
  hashes ? { seconds: seconds * 3, connections: Math.min(connections, HASHING_CONNECTIONS) } : { seconds, connections };

/** Requests a second, for the eye. */
export const shownRate = (of: Measurement): string => `${perSecond(of).toFixed(0)}/s`;

/** Lets floor and service take turns at every kind. Who is first changes with every round. */
export const runRounds = async (
  kinds: readonly Kind[],
  rounds: number,
  { generator, databasePid, vacuum, floor, service, world, connections, seconds, say }: RoundPorts,
): Promise<readonly KindRounds[]> => {
  const results = kinds.map((kind) => ({
    kind,
    requests: requestsOf(kind, world),
    rounds: [] as KindRounds['rounds'][number][],
  }));
  for (const { kind, requests } of results) {
    const warmUp = { requests, connections, seconds: Math.min(2, seconds), rate: null };
    if (!kind.hashes) for (const server of [floor, service]) await generator.run({ ...warmUp, url: server.url });
  }
  for (let round = 1; round <= rounds; round++) {
    for (const { kind, requests, rounds: done } of results) {
      await vacuum();
      const plan = { requests, ...loadOf(kind, { seconds, connections }), rate: null };
      const at = (server: RunningServer) => measure(generator, server, databasePid, plan, [floor.pid, service.pid]);
      const first = round % 2 === 1 ? await at(floor) : undefined;
      const ofService = await at(service);
      const ofFloor = first ?? (await at(floor));
      done.push({ floor: ofFloor, service: ofService });
      say(`round ${round}: ${kind.name}: floor ${shownRate(ofFloor)}, service ${shownRate(ofService)}`);
    }
  }
  return results;
};
