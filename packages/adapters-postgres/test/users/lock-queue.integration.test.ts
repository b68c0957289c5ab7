import { decideRedemption, OPERATOR, type User } from '@chapter/domain/ports';
import { aLeader, asNewUser, aUser, changeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { by, change } from '../support/changes.ts';
import { CHANGED, makeFollowers, OLD_HASH, storeLowestUser } from '../support/followers.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

describe('A lock request', () => {
  const { world, blockers } = useBlockedWorld({ poolSize: 12 });
  let ada: User;
  let eve: User;
  let member: User;

  beforeEach(async () => {
    ada = await storeUser(world(), aLeader(), OLD_HASH);
    eve = await storeUser(world(), aLeader().of(ada.division));
    member = await storeUser(world(), aUser().of(ada.division));
  });

  /** Begins a transaction with the row lock that a write by Ada takes in release 0.1.0. */
  const beginWrite = async () => {
    const write = await blockers.begin();
    await write.run('select from user_account where id = $1 for share', ada.id);
    return write;
  };

  for (const { expected = CHANGED.groups, run, title } of makeFollowers(world)) {
    it(`of ${title} queues after a waiting change of a user, and sees the change`, async () => {
      const write = await beginWrite();
      const changed = change(world(), by(eve), ada, { groups: CHANGED.groups }, CHANGED.hash);
      await blockers.untilWaiting(1, changed);
      const following = run({ ada, member });
      await blockers.untilWaiting(2, following);
      await write.commit();
      await changed;
      expect(await following).to.deep.equal(expected);
    });
  }

  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a Leader with a higher id': () => change(world(), by(eve), ada, { firstName: 'Ada' }),
    'a user with a lower id': async () =>
      change(world(), by(await storeLowestUser(world(), ada)), ada, { firstName: 'Ada' }),
    'the operator': () => change(world(), OPERATOR, ada, { firstName: 'Ada' }),
    'a login with a weak hash': () => world().credentials.renew(ada.id, OLD_HASH, CHANGED.hash),
  };
  for (const [author, run] of Object.entries(changes)) {
    it(`of a write queues after a waiting change of its author by ${author}`, async () => {
      const write = await beginWrite();
      const changed = run();
      await blockers.untilWaiting(1, changed);
      const following = change(world(), by(ada), member, { firstName: 'Member' });
      await blockers.untilWaiting(2, following);
      await write.commit();
      await Promise.all([changed, following]);
    });
  }

  it('of a demotion of the issuer of a link waits for a redemption of the link', async () => {
    const link = { userId: member.id, digest: 'digest', lifetime: 60 };
    await world().passwordLinks.create(by(ada), link, () => {});
    const hold = await blockers.begin();
    await hold.run('select from password_link for update');
    const redeemed = world().passwordLinks.redeem(link.digest, null, ({ issuer, user }) => {
      expect(issuer?.groups).to.deep.equal(['Leader']);
      return decideRedemption(user, CHANGED.hash);
    });
    await blockers.untilWaiting(1, redeemed);
    const demoted = change(world(), OPERATOR, ada, { groups: CHANGED.groups });
    await blockers.untilWaiting(2, demoted);
    await hold.commit();
    await Promise.all([redeemed, demoted]);
    expect((await world().credentials.find(member.id))?.passwordHash).to.equal(CHANGED.hash);
  });

  it('of a stronger hash waits for the creation of a password link, which stays open', async () => {
    const hold = await blockers.begin();
    await hold.run(
      `insert into password_link (user_id, digest, division_id, is_staff, is_superuser, expires_at)
        select id, 'digest', division_id, false, false, date_joined from user_account where id = $1`,
      eve.id,
    );
    const created = world().passwordLinks.create(
      OPERATOR,
      { userId: ada.id, digest: 'digest', lifetime: 60 },
      () => {},
    );
    await blockers.untilWaiting(1, created);
    const renewed = world().credentials.renew(ada.id, OLD_HASH, CHANGED.hash);
    await blockers.untilWaiting(2, renewed);
    await hold.run('delete from password_link');
    await hold.commit();
    await Promise.all([created, renewed]);
    expect((await world().credentials.find(ada.id))?.passwordHash).to.equal(CHANGED.hash);
    expect((await world().passwordLinks.find('digest'))?.user.id).to.equal(ada.id);
  });

  it('uses one negative key per user, unlike other advisory locks, which have positive keys', async () => {
    const write = await beginWrite();
    const changed = change(world(), by(eve), ada, { firstName: 'Ada' });
    await blockers.untilWaiting(1, changed);
    const { rows } = await world().sql.query<{ key: string }>(
      `select ((classid::bigint << 32) | objid::bigint)::text as key from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(new Set(rows.map(({ key }) => key)).size).to.equal(2);
    for (const { key } of rows) expect(key).to.match(/^-/);
    await write.commit();
    await changed;
  });

  it('of a creation queues after a waiting change of the division, and sees the new name', async () => {
    const { division } = ada;
    const creation = await blockers.begin();
    await creation.run('select from division where id = $1 for key share', division.id);
    const renamed = changeDivision(world(), division.id, { name: 'Renamed' });
    await blockers.untilWaiting(1, renamed);
    const creating = world().users.create(OPERATOR, asNewUser(aUser().of(division)), () => {});
    await blockers.untilWaiting(2, creating);
    await creation.commit();
    await renamed;
    const created = await creating;
    if (!('user' in created)) throw new Error('the creation has no user');
    expect(created.user.division.name).to.equal('Renamed');
    expect(created.user).to.deep.equal(await world().users.find(created.user.id));
  });

  it('of a change of a Leader waits for a change of another Leader of the division, and sees it', async () => {
    const hold = await blockers.begin();
    await hold.run('select from division where id = $1 for no key update', ada.division.id);
    const flags: boolean[] = [];
    const changed = world().users.write(OPERATOR, ada, ({ isLastLeader }) => {
      flags.push(isLastLeader);
      return 'unchanged';
    });
    await blockers.untilWaiting(1, changed);
    await hold.run('update user_account set is_active = false where id = $1', eve.id);
    await hold.commit();
    await changed;
    expect(flags).to.deep.equal([true]);
  });

  it('of an update finds a user who has moved to a new division while it waited', async () => {
    const id = world().ids.next();
    const move = await blockers.begin();
    await move.run(`insert into division (id, name, name_key) values ($1, 'New', 'new')`, id);
    await move.run('update user_account set division_id = $2 where id = $1', ada.id, id);
    const changed = change(world(), by(ada), ada, { firstName: 'Ada' });
    await blockers.untilWaiting(1, changed);
    await move.commit();
    expect(await changed).to.deep.include({ division: { id, name: 'New' }, revision: '2.1' });
  });
});
