import { makeSequentialIds, makeSettableClock, makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { compare } from '../../../../test-support/proof/report.ts';
import { isFullProof } from '../../../../test-support/proof/share.ts';
import { type SimulateOptions, simulate } from '../../../../test-support/proof/simulation/simulate.ts';
import { asSimulated, type SimulatedWorld } from '../../../../test-support/proof/simulation/world.ts';
import { connectPostgres } from '../../src/index.ts';
import { useDatabaseClock } from '../support/database-clock.ts';
import { portsInTime, useWorld } from '../support/use-world.ts';

/** Worlds on one database, for histories that run one after the other. Their names and ids keep them apart. */
interface SimulatedWorlds {
  readonly open: (seed: number) => SimulatedWorld;
  readonly close: () => Promise<void>;
}

/** Makes worlds for a lane. Its ids and its clock are not shared with other lanes of the database. */
const connectWorlds = async (
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

const { SIMULATION_SEED } = process.env;
/** A seed to replay, instead of the histories from seed 1 on. */
const REPLAYED_SEED = SIMULATION_SEED === undefined ? undefined : Number(SIMULATION_SEED);
const HISTORIES_PER_RUN = isFullProof ? 5000 : 20;
const HISTORIES = REPLAYED_SEED === undefined ? HISTORIES_PER_RUN : 1;
/** Lanes that run histories in parallel, each with its own connections and clock. */
const LANES = REPLAYED_SEED === undefined ? 2 : 1;
const MIN_HISTORIES = REPLAYED_SEED === undefined ? 40 : 1;

const replayCommand = (seed: number): string =>
  `SIMULATION_SEED=${seed} npm test -- packages/adapters-postgres/test/database/simulation.integration.test.ts`;

describe('Simulated histories on PostgreSQL', function () {
  this.timeout(3_600_000);
  const main = useWorld();
  let lanes: readonly SimulatedWorlds[] = [];

  before(async () => {
    lanes = await Promise.all(Array.from({ length: LANES }, (_, lane) => connectWorlds(main(), lane)));
  });
  after(() => Promise.all(lanes.map(({ close }) => close())));

  /** Runs histories in all lanes. */
  const simulateInLanes = (options: (lane: number) => Omit<SimulateOptions, 'open'>) =>
    Promise.all(lanes.map(({ open }, lane) => simulate({ ...options(lane), open })));

  it('agree with the model, and with the in-memory adapters', () =>
    compare('histories compared with a sequential model on PostgreSQL', MIN_HISTORIES, async ({ add, same }) => {
      const options = (lane: number) => ({
        seed: (REPLAYED_SEED ?? 1) + lane * HISTORIES_PER_RUN,
        histories: HISTORIES,
      });
      const simulated = await simulateInLanes(options);
      for (const [lane, one] of simulated.entries()) {
        add(one.histories - one.differences.length);
        for (const { seed, message } of one.differences) same(message, '', replayCommand(seed));
        expect(one).to.deep.equal(await simulate(options(lane)));
      }
    }));
});
