import { actorOf, authorOf, OPERATOR } from '@chapter/domain';
import {
  aLeader,
  changeUser,
  conflictLimitsContract,
  divisionRepositoryContract,
  erasureContract,
  loginLimitsContract,
  passwordLinksContract,
  sessionRepositoryContract,
  storeUser,
  userRepositoryContract,
  type World,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { atLeast } from '../../../../test-support/counts.ts';
import { severalInstances } from '../support/several-instances.ts';
import { useWorld } from '../support/use-world.ts';

const REPETITIONS = 15;

const races = [
  ...userRepositoryContract,
  ...divisionRepositoryContract,
  ...sessionRepositoryContract,
  ...passwordLinksContract,
  ...loginLimitsContract,
  ...conflictLimitsContract,
  ...erasureContract,
].filter(({ title }) => /concurrent|deadlock|waited for|at once|same moment|being taken away/.test(title));

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

  it('let two Leaders change each other without a deadlock', async () => {
    const ada = await storeUser(world, aLeader());
    const eve = await storeUser(world, aLeader().of(ada.division));
    const change = (author: typeof ada, target: typeof ada, time: number) =>
      changeUser(world, target.id, { firstName: `${time}` }, { author: authorOf(actorOf(author)) });
    for (let time = 1; time <= REPETITIONS; time++) {
      await Promise.all([change(ada, eve, time), change(eve, ada, time), change(ada, ada, -time)]);
    }
    const entries = await world.audit.list({ divisionId: ada.division.id, limit: REPETITIONS * 10 });
    expect(entries.filter(({ authorName }) => authorName !== OPERATOR.name)).to.have.lengthOf(REPETITIONS * 3);
  });

  it('caused no deadlock that the database had to break', async () => {
    const { rows } = await main().sql.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(rows[0]?.deadlocks).to.equal('0');
  });
});
