import { type Actor, DomainError, listQuery, makeUseCases, type UserListField } from '@chapter/domain';
import {
  aDivision,
  aLeader,
  aSession,
  aUser,
  makeWorld,
  storeDivision,
  storeUser,
  visitorHash,
} from '@chapter/domain/testing';
import { expect } from 'chai';
import { useWorld } from '../support/use-world.ts';

const allUsers = listQuery<UserListField>({ order: ['groups'], counted: true });

/** Returns the value of an attempt, or the code of its refusal. Any other error fails the test. */
const outcomeOf = async <T>(attempt: () => Promise<T>): Promise<T | string> => {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

describe('Invalid data in the database:', () => {
  const world = useWorld();
  const fakes = makeWorld();
  const useCases = () => makeUseCases({ ...fakes, ...world() });
  const division = aDivision();
  const [leader, member] = [aLeader().of(division), aUser().of(division)];

  /** Logs in as the Leader and returns the rights that the directory finds. */
  const actingLeader = async (): Promise<Actor | null> => {
    const { id } = await aSession(world(), leader, visitorHash);
    return world().actors.find(leader.id, id);
  };

  const foreignKeys = async (state: 'enable' | 'disable'): Promise<void> => {
    for (const table of ['user_account', 'division']) {
      await world().sql.query(`alter table ${table} ${state} trigger all`);
    }
  };
  afterEach(() => foreignKeys('enable'));

  beforeEach(async () => {
    await storeDivision(world(), division);
    await storeUser(world(), leader, visitorHash);
    await storeUser(world(), member);
  });

  it('a group that the program does not know gives no right and breaks nothing', async () => {
    await world().sql.query(`alter type member_group add value if not exists 'Auditor'`);
    const set = `update user_account set "groups" = $2 where id = $1`;
    await world().sql.query(set, [member.id, '{Auditor}']);
    await world().sql.query(set, [leader.id, '{Auditor,Leader}']);
    const actor = (await actingLeader()) ?? expect.fail();
    expect(actor.groups).to.deep.equal(['Leader']);
    const { items } = await useCases().listUsers(actor, () => allUsers);
    expect(items.map(({ groups }) => groups)).to.deep.include.members([['Leader'], []]);
    const changed = await useCases().updateUser(actor, member.id, () => ({ fields: { groups: ['Guest'] } }));
    expect(changed.groups).to.deep.equal(['Guest']);

    await world().sql.query(set, [leader.id, '{Auditor}']);
    const auditor = (await actingLeader()) ?? expect.fail();
    expect(await outcomeOf(() => useCases().listUsers(auditor, () => allUsers))).to.equal('forbidden');
    expect(await outcomeOf(() => useCases().getUser(auditor, member.id))).to.equal('not_found');
    expect(await outcomeOf(() => useCases().deleteUser(auditor, member.id, () => ({})))).to.equal('not_found');
  });

  it('a user without a division cannot read, change or delete anything', async () => {
    await foreignKeys('disable');
    await world().sql.query('delete from division where id = $1', [division.id]);
    const actor = (await actingLeader()) ?? leader;
    const fields = { username: 'ada', password: 'an uncommon one' };
    const attempts = {
      getInfo: () => useCases().getInfo(actor),
      getUser: () => useCases().getUser(actor, member.id),
      getOwnUser: () => useCases().getUser(actor, leader.id),
      updateUser: () => useCases().updateUser(actor, member.id, () => ({ fields: { firstName: 'Ada' } })),
      deleteUser: () => useCases().deleteUser(actor, member.id, () => ({})),
      createUser: () => useCases().createUser(actor, () => ({ fields })),
      getDivision: () => useCases().getDivision(actor, division.id),
      updateDivision: () => useCases().updateDivision(actor, division.id, () => ({ fields: {} })),
      listUsers: async () => (await useCases().listUsers(actor, () => allUsers)).items.length,
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      expect(await outcomeOf<unknown>(attempt), name).to.be.oneOf(['not_found', 'invalid_token', 'forbidden', 0]);
    }
  });
});
