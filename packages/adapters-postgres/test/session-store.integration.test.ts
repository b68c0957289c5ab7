import { LIFETIME_SECONDS, OPERATOR, type UserId } from '@chapter/domain';
import {
  actorDirectoryContract,
  aUser,
  erasureContract,
  hashNamed,
  sessionRepositoryContract,
  storeUser,
  type World,
} from '@chapter/domain/testing';
import { expect } from 'chai';
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

  const HASH = hashNamed('one');
  const start = async (userId: UserId) => {
    const id = mixed.ids.next();
    const lifetimes = { lifetime: LIFETIME_SECONDS.refreshToken, sessionLifetime: LIFETIME_SECONDS.session };
    await mixed.sessions.start({ id, userId, digest: id, userAgent: null, ...lifetimes }, HASH);
    return id;
  };

  it('provides the sessions of the data that is stored about a user, oldest first', async () => {
    const user = await storeUser(mixed, aUser(), HASH);
    const first = await start(user.id);
    mixed.clock.advance(1);
    const second = await start(user.id);
    const stored = await mixed.personalData.find(user.id);
    expect(stored?.sessions.map(({ id }) => id)).to.deep.equal([first, second]);
    expect(stored?.sessions).to.deep.equal((await mixed.sessions.list(user.id)).toReversed());
  });

  it('ends all sessions of a deleted user', async () => {
    const user = await storeUser(mixed, aUser(), HASH);
    await start(user.id);
    await mixed.users.delete(OPERATOR, user.id, () => {});
    expect(await mixed.sessions.list(user.id)).to.deep.equal([]);
  });

  it('is not called when the database refuses to delete a user', async () => {
    const user = await storeUser(mixed, aUser(), HASH);
    const id = await start(user.id);
    await world().sql.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
       create trigger refuse before delete on user_account for each row execute function refuse()`,
    );
    try {
      const outcome = await mixed.users.delete(OPERATOR, user.id, () => {}).catch(String);
      expect(outcome).to.match(/refused a statement/);
    } finally {
      await world().sql.query('drop function refuse cascade');
    }
    expect((await mixed.sessions.list(user.id)).map((session) => session.id)).to.deep.equal([id]);
  });

  it('keeps a user from being deleted when it cannot end the sessions', async () => {
    const { url, clock, ids } = world();
    const failing = connectPostgres({
      url,
      clock,
      ids,
      sessionStore: (users) => {
        const { actors, sessions } = externalSessions(clock)(users);
        const endAll = () => Promise.reject(new Error('the store cannot be reached'));
        return { actors, sessions: { ...sessions, endAll } };
      },
    });
    const user = await storeUser(mixed, aUser(), HASH);
    const outcome = await failing.users.delete(OPERATOR, user.id, () => {}).catch(String);
    await failing.close();
    expect(outcome).to.equal('Error: the store cannot be reached');
    expect(await mixed.users.find(user.id)).to.deep.equal(user);
  });

  it('ends the sessions of an erased user whose deletion did not end them', async () => {
    const user = await storeUser(mixed, aUser(), HASH);
    await start(user.id);
    await world().sql.query('delete from user_account where id = $1', [user.id]);
    expect(await mixed.sessions.list(user.id)).to.have.length(1);
    expect((await mixed.erasure.eraseUser(OPERATOR, user.id, () => {})).sessions).to.equal(1);
    expect(await mixed.sessions.list(user.id)).to.deep.equal([]);
  });
});
