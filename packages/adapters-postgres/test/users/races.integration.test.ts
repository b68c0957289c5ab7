import { portContracts, type World } from '@chapter/domain/testing';
import { expect } from 'chai';
import { atLeast } from '../../../../test-support/counts.ts';
import { connectPostgres } from '../../src/index.ts';
import { makePorts, type PostgresWorld, portsInTime, useWorld } from '../support/use-world.ts';

/** Returns a port whose calls go to several instances of the service in turn. */
const inTurn = <Port extends object>(ports: readonly Port[]): Port => {
  let turn = 0;
  return new Proxy({} as Port, {
    get: (_, name) => {
      turn += 1;
      return Reflect.get(ports[turn % ports.length] ?? {}, name);
    },
  });
};

/** Makes a world whose calls go to several instances of the service, each with its own connections. */
const severalInstances = (
  { url, clock, ids, inTime, erasure }: PostgresWorld,
  count: number,
): { readonly world: World; readonly close: () => Promise<void> } => {
  const instances = Array.from({ length: count }, () => connectPostgres({ url, clock, ids }));
  const ports = instances.map((instance) => portsInTime(instance, inTime));
  const inTurns = makePorts((name) => inTurn(ports.map((one) => one[name])));
  // The instances serve, so they are not the owner.
  const world = { ...inTurns, erasure, clock, ids };
  return { world, close: async () => void (await Promise.all(instances.map((one) => one.close()))) };
};

const REPETITIONS = 15;

const races = Object.values(portContracts)
  .flatMap((cases) => cases)
  .filter(({ title }) => /concurrent|deadlock|waited for|same time/.test(title));

describe(`Three instances on one PostgreSQL, raced ${REPETITIONS} times`, () => {
  const main = useWorld();
  let world: World;
  let close: () => Promise<void>;

  before(() => {
    ({ world, close } = severalInstances(main(), 3));
  });
  after(() => close?.());

  for (const { title, run } of atLeast(20, races)) {
    it(title, async () => {
      for (let time = 0; time < REPETITIONS; time++) {
        await main().empty();
        await run(world);
      }
    });
  }

  it('caused no deadlock that the database had to break', async () => {
    const { rows } = await main().sql.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(rows[0]?.deadlocks).to.equal('0');
  });
});
