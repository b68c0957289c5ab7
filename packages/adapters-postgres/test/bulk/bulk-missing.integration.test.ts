import { OPERATOR, type User } from '@chapter/domain';
import { changeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { BulkDivision, BulkLoad, BulkPlan, BulkUser } from '../../src/index.ts';
import { bulkUser, rowsOf } from '../support/bulk-rows.ts';
import { useBlockedWorld } from '../support/use-blockers.ts';

const idOf = (digit: number): string => `0190a000-0000-7000-8000-00000000000${digit}`;
const [NORTH, SOUTH, EAST] = [idOf(1), idOf(2), idOf(3)];
const [ADA, BOB, CAL, DAN, EVE] = [idOf(4), idOf(5), idOf(6), idOf(7), idOf(8)];

describe('A bulk load of a register', () => {
  const { world, blockers } = useBlockedWorld();
  const silent = (): void => {};
  const load = <T>(work: (opened: BulkLoad) => Promise<T>): Promise<T> => world().database.loadInBulk(OPERATOR, work);

  const userOf = (id: string, username: string, values: Partial<BulkUser> = {}): Partial<BulkUser> =>
    bulkUser({ id, username, divisionId: NORTH }, values);

  beforeEach(async () => {
    for (const [id, name] of [
      [NORTH, 'North'],
      [SOUTH, 'South'],
    ] as const) {
      await world().divisions.create(OPERATOR, { id, name, logo: null, fanpage: null });
    }
    await load(async (opened) => {
      const leader = { groups: ['Leader'] } as const;
      await opened.stageUsers(
        rowsOf(
          userOf(ADA, 'ada', leader),
          userOf(BOB, 'bob', leader),
          userOf(CAL, 'cal'),
          userOf(DAN, 'dan', { isActive: false }),
          userOf(EVE, 'eve', { divisionId: SOUTH }),
        ),
      );
      return (await opened.plan()).store(silent);
    });
  });

  const active = async (): Promise<readonly string[]> =>
    (await world().sql.query('select username from user_account where is_active order by username')).rows.map(
      ({ username }) => username,
    );
  const change = (id: string, values: Partial<User>) => changeUser(world(), id, values);

  /** Matches Bob by his username and Dan by his id, plans the deactivation of the others, and stores it after `meanwhile`. */
  const deactivateAfter = (meanwhile: (plan: BulkPlan) => Promise<unknown>, force = false) =>
    load(async (opened) => {
      await opened.stageUsers(rowsOf<Partial<BulkUser>>({ username: 'BOB' }, { id: DAN, username: 'cal' }));
      await opened.match('users', new Set(['id']));
      await opened.deactivateMissing({ force });
      const plan = await opened.plan();
      await meanwhile(plan);
      return plan.store(silent);
    });

  it('deactivates the active users that no line matches', async () => {
    await deactivateAfter(async (plan) => {
      expect(plan).to.deep.include({ leaderless: [], missing: { active: 4, changed: 3, kept: [] } });
    });
    expect(await active()).to.deep.equal(['bob']);
    const entries = await world().audit.list({ limit: 3 });
    const operators = ['updateUser null', 'updateUser null', 'updateUser null'];
    expect(entries.map(({ action, authorId }) => `${action} ${authorId}`)).to.deep.equal(operators);
    expect(new Set(entries.map(({ id }) => id)).size).to.equal(3);
  });

  it('does not deactivate a user who is created after the comparison', async () => {
    await deactivateAfter(() =>
      load(async (other) => {
        await other.stageUsers(rowsOf(userOf(idOf(9), 'fay')));
        return (await other.plan()).store(silent);
      }),
    );
    expect(await active()).to.deep.equal(['bob', 'fay']);
  });

  it('stores nothing if another transaction has changed a missing user', async () => {
    expect(await deactivateAfter(() => change(CAL, { firstName: 'Cal' }))).to.equal(null);
    expect(await active()).to.deep.equal(['ada', 'bob', 'cal', 'eve']);
  });

  it('stores nothing if another transaction has removed the Leader who is not missing', async () => {
    expect(await deactivateAfter(() => change(BOB, { groups: ['User'] }))).to.equal(null);
    expect(await active()).to.include('ada');
  });

  it('keeps the last Leaders, and counts them as active', async () => {
    await change(BOB, { isActive: false });
    await change(EVE, { groups: ['Leader'] });
    const kept = [
      { username: 'ada', division: 'North' },
      { username: 'eve', division: 'South' },
    ];
    await deactivateAfter(async (plan) => {
      expect(plan).to.deep.include({ leaderless: [], missing: { active: 3, changed: 1, kept } });
    });
    expect(await active()).to.deep.equal(['ada', 'eve']);
    await deactivateAfter(async ({ leaderless, missing }) => {
      expect([leaderless.map(({ name }) => name), missing]).to.deep.equal([
        ['North', 'South'],
        { active: 2, changed: 2, kept: [] },
      ]);
    }, true);
    expect(await active()).to.deep.equal([]);
  });

  it('locks missing users in the order of their ids, and the division that loses a Leader', async () => {
    for (const [table, id] of [
      ['user_account', EVE],
      ['division', NORTH],
    ] as const) {
      const blocker = await blockers.begin();
      await blocker.run(`select from ${table} where id = $1 for no key update`, id);
      const storing = deactivateAfter(async () => {});
      await blockers.untilWaiting(1, storing);
      const free = await world().sql.query('select from user_account where id = $1 for update skip locked', [ADA]);
      expect(free.rowCount).to.equal(0);
      await blocker.commit();
      expect(await storing).not.to.equal(null);
      await world().sql.query('update user_account set is_active = true where id <> $1', [DAN]);
    }
  });

  it('reads the users that no staged line matches, active or not, by username', async () => {
    const found: string[] = [];
    await load(async (opened) => {
      await opened.stageUsers(rowsOf<Partial<BulkUser>>({ username: 'BOB' }, { id: ADA, username: 'cal' }));
      await opened.readMissing(async (users) => {
        found.push(...users.map(({ division, isActive, username }) => `${username} ${division} ${isActive}`));
      });
    });
    expect(found).to.deep.equal(['cal North true', 'dan North false', 'eve South true']);
  });

  it('finds divisions by the names that they have after the load', async () => {
    await load(async (opened) => {
      await opened.stageDivisions(
        rowsOf<BulkDivision>(
          { id: NORTH, name: 'South Pole' },
          { id: EAST, name: 'East' },
          { id: SOUTH, fanpage: 'https://s' },
        ),
      );
      await opened.match('divisions', new Set(['id', 'name']));
      const named = (username: string, division: string, ids: Pick<Partial<BulkUser>, 'divisionId'> = {}) =>
        Object.assign({ username, division, groups: [] }, ids);
      await opened.stageUsers(
        rowsOf<Partial<BulkUser>>(
          named('u2', 'south'),
          named('u3', 'south pole'),
          named('u4', 'EAST'),
          named('u5', 'North'),
          named('u6', 'East', { divisionId: NORTH }),
          named('u7', 'East', { divisionId: idOf(9) }),
        ),
      );
      await opened.match('users', new Set(['id', 'username', 'division_id']));
      const unnamed = { field: 'division', firstLine: null };
      expect(await opened.findings('users', 9)).to.deep.equal({
        conflicts: [
          { ...unnamed, line: 5, reason: 'unknown', divisionKey: 'north' },
          { ...unnamed, line: 6, reason: 'different', divisionKey: 'east' },
          { ...unnamed, line: 7, reason: 'different', divisionKey: 'east' },
        ],
        badLines: 3,
      });
      expect(await opened.divisionNames()).to.deep.equal(['East', 'South', 'South Pole']);
    });
  });
});
