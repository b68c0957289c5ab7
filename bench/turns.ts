import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, otherShape, requestsOf } from './kinds.ts';
import { type Program, SERVICE } from './server.ts';
import type { Settings } from './settings.ts';
import type { Measurement, RunningServer, Setup } from './setup.ts';
import type { BenchWorld } from './world.ts';

/** A server with the callers and targets in its database. */
interface Contestant {
  readonly server: Pick<RunningServer, 'name' | 'measure' | 'vacuum'>;
  readonly world: BenchWorld;
}

/** What all servers did in each turn, with one kind of request and number of connections. */
export interface Contest {
  readonly kind: Kind;
  readonly connections: number;
  /** For each turn, the measurement of each server. */
  readonly turns: readonly (readonly Measurement[])[];
}

/** Starts the service, and reads lists of other shapes than those that are measured. */
export const openService = async (setup: Setup, settings: Settings, program: Partial<Program> = {}) => {
  const { nodeOptions, seconds } = settings;
  const server = await setup.start({ ...SERVICE, nodeOptions, ...program });
  await server.measure({ requests: requestsOf(otherShape, setup.world), connections: 32, seconds });
  return { server, ...setup };
};

export const perSecond = ({ requests, seconds }: Measurement): number => requests / seconds;

/**
 * Puts each kind of load on all servers in turn, with each number of connections, and logs the throughputs. A first turn warms
 * up and does not count. Every second turn goes backwards, so that the order favours none.
 */
export const takeTurns = async (
  contestants: readonly Contestant[],
  { kinds, pause, rounds, seconds, ...settings }: Omit<Settings, 'population' | 'nodeOptions'>,
): Promise<readonly Contest[]> => {
  const contests: Contest[] = [];
  for (const [kind, connections] of kinds.flatMap((one) => settings.connections.map((each) => [one, each] as const))) {
    const turns: Measurement[][] = [];
    for (const { server } of contestants) await server.vacuum();
    for (let turn = 0; turn <= rounds; turn++) {
      const measured: Measurement[] = [];
      const order = [...contestants.entries()];
      for (const [at, { server, world }] of turn % 2 === 0 ? order : order.toReversed()) {
        await sleep(pause * 1000);
        measured[at] = await server.measure({ requests: requestsOf(kind.request, world), connections, seconds });
      }
      if (turn > 0) turns.push(measured);
      const rates = measured.map((load, at) => `${contestants[at]?.server.name} ${perSecond(load).toFixed(1)}/s`);
      console.error(`${kind.name}, connections ${connections}, turn ${turn}: ${rates.join(', ')}`);
    }
    contests.push({ kind, connections, turns });
  }
  return contests;
};
