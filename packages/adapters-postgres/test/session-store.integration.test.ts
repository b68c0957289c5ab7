import { actorDirectoryContract, sessionRepositoryContract, type World } from '@chapter/domain/testing';
import { connectPostgres, type Database } from '../src/index.ts';
import { externalSessions } from './support/external-sessions.ts';
import { portsInTime, useWorld } from './support/use-world.ts';

describe('An external session store', () => {
  const world = useWorld();
  let database: Database;
  let mixed: World;

  before(() => {
    const { url, clock, ids, inTime } = world();
    database = connectPostgres({ url, clock, ids, sessionStore: externalSessions(clock) });
    mixed = { ...world(), ...portsInTime(database, inTime) };
  });
  after(() => database.close());

  for (const { title, run } of [...sessionRepositoryContract, ...actorDirectoryContract]) it(title, () => run(mixed));
});
