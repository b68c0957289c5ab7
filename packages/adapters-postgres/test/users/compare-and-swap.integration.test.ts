import { type Author, actorOf, type LockedUser, type User } from '@chapter/domain/ports';
import { aLeader, aUser, decideChange, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { by, change } from '../support/changes.ts';
import { useBlockers } from '../support/use-blockers.ts';
import { useWorld } from '../support/use-world.ts';

describe('A change of a known user', () => {
  const world = useWorld();
  const blockers = useBlockers(world);
  let ada: User;
  let eve: User;
  let members: readonly [User, User];

  beforeEach(async () => {
    ada = await storeUser(world(), aLeader());
    eve = await storeUser(world(), aLeader().of(ada.division));
    const member = () => storeUser(world(), aUser().of(ada.division));
    members = [await member(), await member()];
  });

  /** Changes the last name by a Leader. Returns how often the change was decided. */
  const changeKnown = async (user: User, author: Author = by(ada)): Promise<number> => {
    let decisions = 0;
    await world().users.write(author, { id: user.id, known: { actor: actorOf(ada), user } }, (locked: LockedUser) => {
      decisions += 1;
      return decideChange(locked, { values: { lastName: 'King' } });
    });
    return decisions;
  };
  const hold = async (lock: string, user: User) => {
    const blocker = await blockers.begin();
    await blocker.run(`select from user_account where id = $1 for ${lock}`, user.id);
    return blocker;
  };

  it('is decided once, without locks', async () => {
    expect(await Promise.all([...members, eve].map((user) => changeKnown(user)))).to.deep.equal([1, 1, 1]);
    expect(await changeKnown(ada)).to.equal(1);
  });

  it('waits only if the row of its user is locked', async () => {
    const blocker = await hold('no key update', members[0]);
    const changes = Promise.all(members.map((user) => changeKnown(user)));
    await blockers.untilWaiting(1, changes);
    await blocker.commit();
    expect(await changes).to.deep.equal([2, 1]);
  });

  it('sees the rights of an author whose row is locked', async () => {
    const blocker = await hold('no key update', ada);
    const waiting = changeKnown(members[0]);
    await blockers.untilWaiting(1, waiting);
    await blocker.commit();
    expect(await waiting).to.equal(2);
  });

  it('queues after a waiting change of its author', async () => {
    const read = await hold('share', ada);
    const changed = change(world(), by(eve), ada, { groups: ['Guest'] });
    await blockers.untilWaiting(1, changed);
    const following = changeKnown(members[0]);
    await blockers.untilWaiting(2, following);
    await read.commit();
    await changed;
    expect(await following).to.equal(2);
  });

  it('is not stored if its client has left', async () => {
    const origin = { requestId: null, network: null, isAbandoned: () => true };
    const left = await changeKnown(members[0], { ...by(ada), origin }).catch((error: unknown) => error);
    expect(left).to.include({ code: 'unavailable' });
    expect(await world().users.find(members[0].id)).to.deep.equal(members[0]);
  });
});
