import { OPERATOR, type User } from '@chapter/domain';
import { aLeader, aUser, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { by, change } from './support/changes.ts';
import { CHANGED, makeFollowers, OLD_HASH } from './support/followers.ts';
import { useBlockers } from './support/use-blockers.ts';
import { useWorld } from './support/use-world.ts';

// How release 0.1.0 locks users: by rows alone.
const OLD_LOCK =
  'select u.groups from user_account u join division d on d.id = u.division_id where u.id = $1::uuid for';
const LOCK_AUTHOR = `${OLD_LOCK} share of u`;
const LOCK_TARGET = `${OLD_LOCK} no key update of u`;
const CHANGE = `update user_account set version = version + 1, groups = $2, password_hash = $3 where id = $1`;

describe('Locks beside an instance of release 0.1.0', () => {
  const world = useWorld({ poolSize: 3 });
  const blockers = useBlockers(world);
  let ada: User;
  let eve: User;
  let member: User;

  beforeEach(async () => {
    ada = await storeUser(world(), aLeader(), OLD_HASH);
    eve = await storeUser(world(), aLeader().of(ada.division));
    member = await storeUser(world(), aUser().of(ada.division));
  });

  it('let a demotion wait until a write of its instance has ended', async () => {
    const old = await blockers.begin();
    await old.run(LOCK_AUTHOR, ada.id);
    const demoted = change(world(), by(eve), ada, { groups: ['User'] });
    await blockers.untilWaiting(1, demoted);
    await old.commit();
    expect((await demoted).groups).to.deep.equal(['User']);
  });

  for (const { expected, run, title } of makeFollowers(world)) {
    it(`let ${title} wait for a change by its instance, and see it`, async () => {
      const old = await blockers.begin();
      await old.run(LOCK_TARGET, ada.id);
      await old.run(CHANGE, ada.id, CHANGED.groups, CHANGED.hash);
      const following = run({ ada, member });
      await blockers.untilWaiting(1, following);
      await old.commit();
      expect(await following).to.deep.equal(expected);
    });
  }

  it('let its demotion wait until a write has ended', async () => {
    const [holder, old] = [await blockers.begin(), await blockers.begin()];
    await holder.run(LOCK_TARGET, member.id);
    const changed = change(world(), by(ada), member, { firstName: 'Changed' });
    await blockers.untilWaiting(1, changed);
    const locked = old.run(LOCK_TARGET, ada.id);
    await blockers.untilWaiting(2, locked);
    await holder.commit();
    await locked;
    expect((await world().users.find(member.id))?.firstName).to.equal('Changed');
    await changed;
    await old.commit();
  });

  it('let its write wait for a demotion, and see it', async () => {
    const [holder, old] = [await blockers.begin(), await blockers.begin()];
    await holder.run('select from division where id = $1 for no key update', ada.division.id);
    const demoted = change(world(), OPERATOR, ada, { groups: ['User'] });
    await blockers.untilWaiting(1, demoted);
    const locked = old.run(LOCK_AUTHOR, ada.id);
    await blockers.untilWaiting(2, locked);
    await holder.commit();
    await demoted;
    expect(await locked).to.deep.equal([['{User}']]);
    await old.commit();
  });
});
