import { portContracts, type World } from '@chapter/domain/testing';
import { expect } from 'chai';
import { atLeast } from '../../../../test-support/counts.ts';
import { severalInstances } from '../support/several-instances.ts';
import { useWorld } from '../support/use-world.ts';

const REPETITIONS = 15;

const races = Object.values(portContracts)
  .flatMap((cases) => cases)
  .filter(({ title }) => /concurrent|deadlock|waited for|at once|same (moment|time)|being taken away/.test(title));

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
