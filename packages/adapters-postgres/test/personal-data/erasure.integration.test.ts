import { OPERATOR, type User } from '@chapter/domain';
import { aUser, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Database } from '../../src/index.ts';
import { rowsOf } from '../support/bulk-rows.ts';
import { by } from '../support/changes.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

/** Of statements and of locks. Longer than the analysis of all tables takes on a slow machine. */
const TIMEOUT_MS = 1000;

describe('An erasure', () => {
  const { world, blockers } = useBlockedWorld();
  let ada: User;
  let owner: Database;
  const erase = () => owner.erasure.eraseUser(OPERATOR, ada.id, () => {});

  beforeEach(async () => {
    const { connect, ownerUrl } = world();
    const url = ownerUrl.replace('lock_timeout=0', `lock_timeout=${TIMEOUT_MS}`);
    owner = connect({ url, statementTimeoutMs: TIMEOUT_MS });
    ada = await storeUser(world(), aUser().with({ username: 'ada' }));
  });

  it('waits for a transaction that locks the user, longer than the service would', async () => {
    const write = await blockers.begin();
    await write.run('select from user_account where id = $1 for share', ada.id);
    const erased = erase();
    await blockers.untilWaiting(1, erased, 1.5 * TIMEOUT_MS);
    await write.commit();
    expect(await erased).to.include({ auditEntries: 1 });
  });

  it('is refused to the serving role, and then changes nothing', async () => {
    const refused = await world()
      .database.erasure.eraseUser(OPERATOR, ada.id, () => {})
      .catch(String);
    expect(refused).to.include('SQLSTATE 42501');
    expect(await world().users.find(ada.id)).to.deep.equal(ada);
  });

  it('removes the counters of release 0.1.0 for usernames, because they do not say whose they are', async () => {
    await world().sql.query(
      `insert into login_limit (key, points, expire) values ('u:old', 1, 9e12), ('n:old', 1, 9e12), ('c:old', 1, 9e12)`,
    );
    expect(await erase()).to.include({ counters: 1 });
    const { rows } = await world().sql.query('select key from login_limit order by key');
    expect(rows).to.deep.equal([{ key: 'c:old' }, { key: 'n:old' }]);
  });

  it("removes the values from the planner's statistics", async () => {
    await storeUser(world(), aUser());
    await storeUser(world(), aUser());
    const sampled = async () => {
      const { rows } = await world().sql.query(
        `select from pg_stats where concat(most_common_vals::text, histogram_bounds::text) ~ '\\mada\\M'`,
      );
      return rows.length;
    };
    await world().sql.query('analyze');
    expect(await sampled()).to.be.at.least(2);
    await erase();
    expect(await sampled()).to.equal(0);
  });

  it('locks links in the same order as an import, so that they cause no deadlock', async () => {
    const bob = await storeUser(world(), aUser());
    const eve = await storeUser(world(), aUser());
    // The first row is the last one by the id of its user.
    for (const { id: userId } of [eve, bob]) {
      const link = { userId, digest: userId, lifetime: 60 };
      await world().passwordLinks.create(by(ada), link, () => {});
    }
    const blocker = await blockers.begin();
    await blocker.run('select from password_link where user_id = $1 for update', bob.id);
    const imported = world().database.loadInBulk(OPERATOR, async (load) => {
      await load.stageUsers(rowsOf({ id: bob.id, passwordHash: 'new' }, { id: eve.id, passwordHash: 'new' }));
      await load.match('users', new Set(['id', 'password_hash']));
      return (await load.plan()).store(() => {});
    });
    await blockers.untilWaiting(1, imported);
    let attempts = 0;
    const erased = owner.erasure.eraseUser(OPERATOR, ada.id, () => {
      attempts += 1;
    });
    await blockers.untilWaiting(2, erased);
    await blocker.commit();
    await Promise.all([imported, erased]);
    expect(attempts).to.equal(1);
  });

  it('waits for a session that analyzes a table', async () => {
    const analyzing = await blockers.begin();
    await analyzing.run('lock table user_account in share update exclusive mode');
    const erased = erase();
    await blockers.untilWaiting(1, erased);
    await analyzing.commit();
    await erased;
  });
});
