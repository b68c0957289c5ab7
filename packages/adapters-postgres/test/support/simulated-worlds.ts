import { makeSequentialIds, makeSettableClock, makeWorld } from '@chapter/domain/testing';
import type { Pool } from 'pg';
import { asSimulated, type SimulatedWorld } from '../../../../test-support/proof/simulation/world.ts';
import { connectPostgres } from '../../src/index.ts';
import { useDatabaseClock } from './database-clock.ts';
import { portsInTime } from './use-world.ts';

/** Worlds on one database, for histories that run one after the other. Their names and ids keep them apart. */
export interface SimulatedWorlds {
  readonly open: (seed: number) => SimulatedWorld;
  readonly close: () => Promise<void>;
}

/** Makes worlds for a lane. Its ids and its clock are not shared with other lanes of the database. */
export const connectWorlds = async (
  database: { readonly url: string; readonly sql: Pool },
  lane: number,
): Promise<SimulatedWorlds> => {
  const clock = makeSettableClock();
  const { url, inTime } = await useDatabaseClock(database, clock, `clock_of_lane_${lane}`);
  const start = clock.now();
  const ids = makeSequentialIds(`019b${String(lane).padStart(8, '0')}`);
  const connected = connectPostgres({ url, clock, ids, poolSize: 2 });
  const ports = portsInTime(connected, inTime);
  return {
    open: (seed) => {
      clock.set(start);
      const prefix = `h${seed}.`;
      return asSimulated({ ...makeWorld({ clock, ids }), ...ports }, prefix);
    },
    close: () => connected.close(),
  };
};
