import {
  actorDirectoryContract,
  erasureContract,
  sessionRepositoryContract,
  type World,
} from '@chapter/domain/testing';
import { connectPostgres, type Database } from '../src/index.ts';
import { externalSessions } from './support/external-sessions.ts';
import { portsInTime, useWorld } from './support/use-world.ts';

describe('An external session store', () => {
  const world = useWorld();
  let database: Database;
  let owner: Database;
  let mixed: World;

  before(() => {
    const { url, ownerUrl, clock, ids, inTime } = world();
    database = connectPostgres({ url, clock, ids, sessionStore: externalSessions(clock) });
    owner = connectPostgres({ url: ownerUrl, clock, ids, sessionStore: () => database });
    mixed = { ...world(), ...portsInTime(database, inTime, owner) };
  });
  after(() => Promise.all([database.close(), owner.close()]));

  const erasures = erasureContract.filter(({ title }) => /with sessions/.test(title));
  for (const { title, run } of [...sessionRepositoryContract, ...actorDirectoryContract, ...erasures])
    it(title, () => run(mixed));
});
