import { type Author, actorOf, type LockedUser, type Pause, type User, type UserWrite } from '@chapter/domain/ports';
import { aLeader, aUser, decideChange, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { by, change } from '../support/changes.ts';
import { until } from '../support/until.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

describe('A change of a known user', () => {
  const { world, blockers } = useBlockedWorld();
  let ada: User;
  let eve: User;
  let members: readonly [User, User];

  beforeEach(async () => {
    ada = await storeUser(world(), aLeader());
    eve = await storeUser(world(), aLeader().of(ada.division));
    const member = () => storeUser(world(), aUser().of(ada.division));
    members = [await member(), await member()];
  });

  /** Changes the last name by a Leader, with effects of the write. Returns how often the change was decided. */
  const changeKnown = async (
    user: User,
    author: Author = by(ada),
    effects: Partial<UserWrite> = {},
  ): Promise<number> => {
    let decisions = 0;
    await world().users.write(author, { id: user.id, known: { actor: actorOf(ada), user } }, (locked: LockedUser) => {
      decisions += 1;
      const decided = decideChange(locked, { values: { lastName: 'King' } });
      return decided === 'unchanged' ? decided : { ...decided, ...effects };
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

  it('is decided again under locks if more than its row changes', async () => {
    for (const effect of ['endsSessions', 'endsTokens', 'voidsLink'] as const) {
      const user = await storeUser(world(), aUser().of(ada.division));
      expect(await changeKnown(user, by(ada), { [effect]: true }), effect).to.equal(2);
    }
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

  it('is not stored if its client has left, unlike those of the same batch', async () => {
    const origin = { requestId: null, network: null, isAbandoned: () => true };
    const changes = [changeKnown(members[0], { ...by(ada), origin }), changeKnown(members[1])];
    const [left, stored] = await Promise.allSettled(changes);
    expect(left).to.have.nested.property('reason.code', 'unavailable');
    expect(stored).to.include({ value: 1 });
    expect(await world().users.find(members[0].id)).to.deep.equal(members[0]);
  });

  describe('while an import locks tables', () => {
    let load: Awaited<ReturnType<typeof blockers.begin>>;

    beforeEach(async () => {
      // PostgreSQL locks the tables of a plan that it has kept in the order of the plan.
      for (let at = 0; at < 6; at++) await changeKnown(await storeUser(world(), aUser().of(ada.division)));
      load = await blockers.begin(world().ownerUrl);
    });

    for (const table of ['division', 'user_account']) {
      it(`waits for ${table} without a lock that it needs later, and its request holds no place`, async () => {
        await load.run(`lock table ${table} in access exclusive mode`);
        const places: string[] = [];
        const pause: Pause = async (work) => {
          places.push('given back');
          return work().finally(() => places.push('taken again'));
        };
        const changed = changeKnown(members[0], { ...by(ada), origin: { requestId: null, network: null, pause } });
        await blockers.untilWaiting(1, changed);
        expect(places).to.deep.equal(['given back']);
        await load.run('lock table user_account, audit_entry in access exclusive mode');
        await load.commit();
        expect(await changed).to.equal(1);
        expect(places).to.deep.equal(['given back', 'taken again']);
        expect(world().database.incidents().repeated).to.equal(0);
      });
    }

    it('waits in one of at most two batches', async () => {
      await load.run('lock table user_account in access exclusive mode');
      const changes: Promise<number>[] = [];
      const { writeQueueUse } = world().database;
      for (const [user, use] of [
        [members[0], { running: 1, waiting: 0 }],
        [members[1], { running: 2, waiting: 0 }],
        [eve, { running: 2, waiting: 1 }],
      ] as const) {
        changes.push(changeKnown(user));
        await until(() => writeQueueUse().running + writeQueueUse().waiting === changes.length);
        expect(writeQueueUse()).to.deep.equal(use);
      }
      await load.commit();
      expect(await Promise.all(changes)).to.deep.equal([1, 1, 1]);
    });
  });
});
