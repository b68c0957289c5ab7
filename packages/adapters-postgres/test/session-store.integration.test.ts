import { actorDirectoryContract, sessionRepositoryContract, type World } from '@chapter/domain/testing';
import { connectPostgres, type Database } from '../src/index.ts';
import { sessionsElsewhere } from './support/sessions-elsewhere.ts';
import { portsInTime, useWorld } from './support/use-world.ts';

describe('Sessions kept outside of the database of the users', () => {
  const world = useWorld();
  let database: Database;
  let mixed: World;

  before(() => {
    const { url, clock, ids, inTime } = world();
    database = connectPostgres({ url, clock, ids, sessionStore: sessionsElsewhere(clock) });
    mixed = { ...world(), ...portsInTime(database, inTime) };
  });
  after(() => database.close());

  for (const { title, run } of [...sessionRepositoryContract, ...actorDirectoryContract]) it(title, () => run(mixed));
});
