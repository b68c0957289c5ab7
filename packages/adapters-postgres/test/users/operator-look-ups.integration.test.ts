import { aUser, changeUser, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { connectPostgres, type Database } from '../../src/index.ts';
import { useBlockers } from '../support/use-blockers.ts';
import { useWorld } from '../support/use-world.ts';

describe('A look-up of the operator', () => {
  const world = useWorld();
  // The service may not lock the audit trail.
  const blockers = useBlockers(() => ({ ...world(), url: world().ownerUrl }));
  let database: Database;

  before(() => {
    const { clock, ids, url } = world();
    database = connectPostgres({ url, clock, ids, statementTimeoutMs: 1000 });
  });
  after(() => database.close());

  it('of a former name may take longer than a statement of the service', async () => {
    const { id } = await storeUser(world(), aUser().with({ username: 'ada' }));
    const lock = await blockers.begin();
    await lock.run('lock table audit_entry in access exclusive mode');
    const found = database.audit.findUsersByName('ada');
    await blockers.untilWaiting(1, found, 1500);
    await lock.commit();
    expect(await found).to.deep.equal([id]);
  });

  it('of audit entries may take longer', async () => {
    const { id } = await storeUser(world(), aUser());
    const lock = await blockers.begin();
    await lock.run('lock table audit_entry in access exclusive mode');
    const found = database.audit.list({ userIds: [id], limit: 10 });
    await blockers.untilWaiting(1, found, 1500);
    await lock.commit();
    expect((await found).map(({ action, targetId }) => [action, targetId])).to.deep.equal([['createUser', id]]);
  });

  it('of all data of a user may take longer, and reads one snapshot', async () => {
    const hash = 'a hash';
    const eve = await storeUser(world(), aUser().with({ username: 'eve' }), hash);
    const lock = await blockers.begin();
    await lock.run('lock table idempotency_key in access exclusive mode');
    const found = database.personalData.find(eve.id);
    await blockers.untilWaiting(1, found, 1500);
    const session = { id: world().ids.next(), userId: eve.id, digest: 'd'.repeat(64), userAgent: null };
    await world().sessions.start({ ...session, lifetime: 60, sessionLifetime: 60 }, hash);
    await changeUser(world(), eve.id, { firstName: 'Eve' });
    await lock.commit();
    const { audit, lastActiveOn, sessions, user } = (await found) ?? {};
    expect({ actions: audit?.map(({ action }) => action), lastActiveOn, sessions, user }).to.deep.equal({
      actions: ['createUser'],
      lastActiveOn: null,
      sessions: [],
      user: eve,
    });
  });
});
