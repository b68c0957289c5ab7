import { aSession, aUser, changeUser, storeUser, visitorHash } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Database } from '../../src/index.ts';
import { useBlockers } from '../support/use-blockers.ts';
import { useWorld } from '../support/use-world.ts';

const STATEMENT_TIMEOUT_MS = 400;

describe('A look-up of the operator', () => {
  const world = useWorld();
  // The service may not lock the audit trail.
  const blockers = useBlockers(() => ({ ...world(), url: world().ownerUrl }));
  let database: Database;

  beforeEach(() => {
    database = world().connect({ statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  });

  const looks = {
    'of a former name': async ({ audit }: Database, id: string) =>
      expect(await audit.findUsersByName('ada')).to.deep.equal([id]),
    'of audit entries': async ({ audit }: Database, id: string) =>
      expect((await audit.list({ userIds: [id], limit: 10 })).map(({ targetId }) => targetId)).to.deep.equal([id]),
  };
  for (const [title, look] of Object.entries(looks)) {
    it(`${title} may take longer than a statement of the service`, async () => {
      const { id } = await storeUser(world(), aUser().with({ username: 'ada' }));
      const lock = await blockers.begin();
      await lock.run('lock table audit_entry in access exclusive mode');
      const looked = look(database, id);
      await blockers.untilWaiting(1, looked, 1.5 * STATEMENT_TIMEOUT_MS);
      await lock.commit();
      await looked;
    });
  }

  it('of all data of a user may take longer, and reads one snapshot', async () => {
    const eve = await storeUser(world(), aUser().with({ username: 'eve' }), visitorHash);
    const lock = await blockers.begin();
    await lock.run('lock table idempotency_key in access exclusive mode');
    const found = database.personalData.find(eve.id);
    await blockers.untilWaiting(1, found, 1.5 * STATEMENT_TIMEOUT_MS);
    await aSession(world(), eve, visitorHash);
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
