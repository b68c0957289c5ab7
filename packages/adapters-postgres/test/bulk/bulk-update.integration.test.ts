import { OPERATOR, type User } from '@chapter/domain/ports';
import { aToken, changeDivision, changeUser, deleteUser, storeToken } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { BulkLoad, BulkPlan, BulkRow, BulkUser } from '../../src/index.ts';
import { bulkUser, rowsOf } from '../support/bulk-rows.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

const NORTH = '0190a000-0000-7000-8000-0000000000a1';
const idOf = (digit: number): string => `0190a000-0000-7000-8000-00000000000${digit}`;
const [ADA, BOB] = [idOf(1), idOf(2)];

type Values = BulkRow<BulkUser>['values'];

describe('A bulk load that changes stored rows', () => {
  const { world, blockers } = useBlockedWorld();
  const silent = (): void => {};

  const userOf = (id: string, username: string): Values =>
    bulkUser({ id, username, divisionId: NORTH }, { groups: ['Leader'] });

  beforeEach(async () => {
    await world().divisions.create(OPERATOR, { id: NORTH, name: 'North', logo: null, fanpage: null });
    await world().database.loadInBulk(OPERATOR, async (load) => {
      await load.stageUsers(rowsOf(userOf(ADA, 'ada'), userOf(BOB, 'bob')));
      return (await load.plan()).store(silent);
    });
  });

  /** Plans a change, lets another transaction run, and stores the plan. */
  const storeAfter = (
    column: string,
    change: Values,
    meanwhile: (plan: BulkPlan) => Promise<unknown>,
    ...others: readonly Values[]
  ) =>
    world().database.loadInBulk(OPERATOR, async (load: BulkLoad) => {
      await load.stageUsers(rowsOf({ id: ADA, ...change }, ...others));
      await load.match('users', new Set(['id', column]));
      expect(await load.findings('users', 1)).to.deep.equal({ conflicts: [], badLines: 0 });
      const plan = await load.plan();
      await meanwhile(plan);
      return plan.store(silent);
    });
  const change = (id: string, values: Partial<User>) => changeUser(world(), id, values);
  const find = (id: string) => world().users.find(id);

  it('stores the plan if another transaction changes other users', async () => {
    const counts = await storeAfter('first_name', { firstName: 'Ada' }, () => change(BOB, { firstName: 'Bob' }));
    expect(counts).to.deep.equal({ divisions: 0, users: 1 });
    expect(await find(ADA)).to.include({ firstName: 'Ada', revision: '2.1' });
  });

  it('stores nothing if another transaction has changed or deleted a planned user', async () => {
    const changed = await storeAfter('first_name', { firstName: 'Ada' }, () => change(ADA, { lastName: 'Lovelace' }));
    expect(changed).to.equal(null);
    expect(await find(ADA)).to.include({ firstName: '', lastName: 'Lovelace', revision: '2.1' });
    const deleted = await storeAfter('first_name', { firstName: 'Ada' }, () => deleteUser(world(), ADA));
    expect(deleted).to.equal(null);
    const actions = (await world().audit.list({ limit: 10 })).map(({ action }) => action);
    expect(actions.join(' ')).to.equal('deleteUser updateUser createUser createUser createDivision');
  });

  it('stores nothing if another transaction has changed a planned division', async () => {
    const counts = await world().database.loadInBulk(OPERATOR, async (load) => {
      await load.stageDivisions(rowsOf({ id: NORTH, fanpage: 'https://example.org' }));
      await load.match('divisions', new Set(['id', 'fanpage']));
      const plan = await load.plan();
      expect(plan.divisions).to.deep.equal({ created: 0, changed: 1, unchanged: 0 });
      await changeDivision(world(), NORTH, { name: 'Far North' });
      return plan.store(silent);
    });
    expect(counts).to.equal(null);
    expect(await world().divisions.find(NORTH)).to.include({ name: 'Far North', fanpage: null, revision: '2' });
  });

  for (const [whose, others] of [
    ['who has no line', []],
    ['whose line changes nothing', [{ id: BOB, groups: ['Leader'] }]],
  ] as const) {
    it(`stores nothing if another transaction has removed the other Leader, ${whose}`, async () => {
      const deactivate = (plan: BulkPlan) => {
        const users = { created: 0, changed: 1, unchanged: others.length };
        expect(plan).to.deep.include({ leaderless: [], users });
        return change(BOB, { isActive: false });
      };
      expect(await storeAfter('groups', { groups: ['User'] }, deactivate, ...others)).to.equal(null);
      expect((await find(ADA))?.groups).to.deep.equal(['Leader']);
    });
  }

  it('names the divisions that would lose their last Leader, and stores the plan all the same', async () => {
    await change(BOB, { isActive: false });
    const counts = await storeAfter('groups', { groups: ['User'] }, async (plan) => {
      expect(plan.leaderless).to.deep.equal([{ id: NORTH, name: 'North' }]);
    });
    expect(counts).to.deep.equal({ divisions: 0, users: 1 });
  });

  it('is stored again after a deadlock with another transaction', async () => {
    const [other, lock] = [await blockers.begin(world().ownerUrl), await blockers.begin()];
    // Makes the load the transaction that the database ends.
    await other.run(`set local deadlock_timeout = '1min'`);
    await other.run('select from division where id = $1 for key share', NORTH);
    await lock.run('select from division where id = $1 for no key update', NORTH);
    const storing = world().database.loadInBulk(OPERATOR, async (load) => {
      await load.stageDivisions(rowsOf({ id: NORTH, name: 'Far North' }));
      await load.match('divisions', new Set(['id', 'name']));
      await load.stageUsers(rowsOf({ id: ADA, firstName: 'Ada' }));
      await load.match('users', new Set(['id', 'first_name']));
      return (await load.plan()).store(silent);
    });
    await blockers.untilWaiting(1, storing);
    const waiting = other.run('select from user_account where id = $1 for update', ADA);
    await blockers.untilWaiting(2, waiting);
    await lock.commit();
    await waiting;
    await other.commit();
    expect(await storing).to.deep.equal({ divisions: 1, users: 1 });
    expect(await find(ADA)).to.deep.include({ firstName: 'Ada', division: { id: NORTH, name: 'Far North' } });
  });

  it('locks users in the order of their ids, and before divisions, like the service', async () => {
    const blocker = await blockers.begin();
    await blocker.run('select from user_account where id = $1 for update', BOB);
    const storing = world().database.loadInBulk(OPERATOR, async (load) => {
      await load.stageDivisions(rowsOf({ id: NORTH, name: 'Far North' }));
      await load.match('divisions', new Set(['id', 'name']));
      await load.stageUsers(rowsOf({ id: BOB, firstName: 'Bob' }, { id: ADA, firstName: 'Ada' }));
      await load.match('users', new Set(['id', 'first_name']));
      return (await load.plan()).store(silent);
    });
    await blockers.untilWaiting(1, storing);
    const isLocked = async (table: string, id: string): Promise<boolean> =>
      (await world().sql.query(`select from ${table} where id = '${id}' for update skip locked`)).rowCount === 0;
    expect([await isLocked('user_account', ADA), await isLocked('division', NORTH)]).to.deep.equal([true, false]);
    await blocker.commit();
    expect(await storing).to.deep.equal({ divisions: 1, users: 2 });
  });

  it('locks a division that loses one of its Leaders, so that two changes cannot remove the last two', async () => {
    const blocker = await blockers.begin();
    await blocker.run('select from division where id = $1 for no key update', NORTH);
    const storing = storeAfter('groups', { groups: ['User'] }, async () => {});
    await blockers.untilWaiting(1, storing);
    await blocker.commit();
    expect(await storing).to.deep.equal({ divisions: 0, users: 1 });
  });

  it('keeps a hash that a login has renewed since the plan', async () => {
    await changeUser(world(), ADA, {}, { passwordHash: 'weak' });
    const counts = await storeAfter('first_name', { firstName: 'Ada' }, () =>
      world().credentials.renew(ADA, 'weak', 'strong'),
    );
    expect(counts).to.deep.equal({ divisions: 0, users: 1 });
    expect((await world().credentials.find(ADA))?.passwordHash).to.equal('strong');
  });

  it('ends personal access tokens of users that it deactivates, and of no others', async () => {
    const tokens = [ADA, BOB].map((id) => aToken(world(), { id }));
    for (const token of tokens) await storeToken(world(), token);
    const store = (isActive: boolean) => storeAfter('is_active', { isActive, groups: ['Leader'] }, async () => {});
    // A user who is active again does not get the tokens back.
    for (const isActive of [false, true]) expect(await store(isActive)).to.deep.equal({ divisions: 0, users: 1 });
    const found = await Promise.all(tokens.map(({ digest }) => world().personalTokens.use(digest)));
    expect(found.map((one) => one?.actor.id)).to.deep.equal([undefined, BOB]);
  });

  it('writes nothing if its plan is not stored', async () => {
    await world().database.loadInBulk(OPERATOR, async (load) => {
      await load.stageUsers(rowsOf(userOf(idOf(3), 'cal')));
      return load.plan();
    });
    expect(await find(idOf(3))).to.equal(null);
    expect((await world().audit.list({ limit: 10 })).length).to.equal(3);
  });
});
