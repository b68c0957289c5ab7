import { makeSequentialIds, makeSettableClock, makeWorld } from '@chapter/domain/testing';
import type { Pool } from 'pg';
import { asSimulated, type SimulatedWorld } from '../../../../test-support/simulation/world.ts';
import { connectPostgres } from '../../src/index.ts';

const MOVE = 'update user_account set division_id = $2, version = version + 1 where id = $1';

/** Worlds on one database, for histories that run one after the other. Their names and ids set them apart. */
export interface SimulatedWorlds {
  readonly open: (seed: number) => SimulatedWorld;
  readonly close: () => Promise<void>;
}

/** Worlds whose ids no other `lane` of the database has. */
export const connectWorlds = ({ url, sql }: { url: string; sql: Pool }, lane: number): SimulatedWorlds => {
  const clock = makeSettableClock();
  const start = clock.now();
  const ids = makeSequentialIds(`019b${String(lane).padStart(8, '0')}`);
  const ports = connectPostgres({ url, clock, ids, poolSize: 2 });
  return {
    open: (seed) => {
      clock.set(start);
      const prefix = `h${seed}.`;
      const move = async (userId: string, divisionId: string) => void (await sql.query(MOVE, [userId, divisionId]));
      return asSimulated({ ...makeWorld({ clock, ids }), ...ports }, prefix, move);
    },
    close: () => ports.close(),
  };
};
