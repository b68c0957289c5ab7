import type { User } from '@chapter/domain';
import { aSession, aToken, aUser, storeToken, storeUser, visitorHash } from '@chapter/domain/testing';
import { expect } from 'chai';
import { until } from '../support/until.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

/** More than the connections of the pool. */
const MANY = 50;

describe('A personal access token in PostgreSQL', () => {
  const { world, blockers } = useBlockedWorld();
  let user: User;
  beforeEach(async () => {
    user = await storeUser(world(), aUser(), visitorHash);
  });

  const store = () => storeToken(world(), aToken(world(), user, { digest: 'digest' }));
  const uses = (count: number) =>
    Promise.all(Array.from({ length: count }, () => world().personalTokens.use('digest')));
  const rowVersion = async () => (await world().sql.query('select ctid, xmin, xmax from personal_token')).rows;

  it('does not keep requests or connections waiting while its row is locked', async () => {
    await store();
    const blocker = await blockers.begin();
    await blocker.run('select from personal_token for update');
    for (let round = 0; round < 2; round++) {
      expect((await uses(MANY)).filter((found) => found?.actor.id === user.id)).to.have.length(MANY);
      // One use waits to be noted, in the queue of what may wait for locks.
      expect(world().database.writeQueueUse()).to.deep.equal({ running: 1, waiting: 0 });
    }
    expect((await world().personalTokens.list(user.id)).map(({ lastUsedOn }) => lastUsedOn)).to.deep.equal([null]);
    await blocker.commit();
  });

  it('is stored before the session that creates it ends', async () => {
    const { id } = await aSession(world(), user, visitorHash);
    const blocker = await blockers.begin();
    await blocker.run('lock table personal_token in share mode');
    const created = store();
    await blockers.untilWaiting(1, created);
    const loggedOut = world().sessions.endOne(id, user.id);
    // Without the lock of the session, the logout would end now.
    await blockers.untilWaiting(2, loggedOut);
    await blocker.commit();
    expect((await created).name).to.equal('script');
    expect(await loggedOut).to.equal(true);
  });

  it('is accepted while its last use cannot be stored', async () => {
    await store();
    const { plainUrl, sql } = world();
    const role = new URL(plainUrl).username;
    await sql.query(`revoke update on personal_token from ${role}`);
    try {
      expect((await world().personalTokens.use('digest'))?.actor.id).to.equal(user.id);
      expect((await uses(MANY)).every(Boolean)).to.equal(true);
      await until(() => world().database.writeQueueUse().running === 0);
      // It is not tried again with each request.
      await uses(MANY);
      expect(world().database.writeQueueUse().running).to.equal(0);
    } finally {
      await sql.query(`grant update on personal_token to ${role}`);
    }
  });

  it('is written once on a day, and not even locked by later uses', async () => {
    await store();
    const { clock, sql } = world();
    await sql.query('update personal_token set last_used_on = $1', [clock.now().slice(0, 10)]);
    const written = await rowVersion();
    await uses(MANY);
    expect(await rowVersion()).to.deep.equal(written);
  });

  it('ends with its user when release 0.1.0 deletes the user', async () => {
    await store();
    await world().sql.query('delete from user_account');
    expect(await rowVersion()).to.deep.equal([]);
  });
});
