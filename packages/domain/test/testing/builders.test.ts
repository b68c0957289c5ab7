import { can, explain } from '@chapter/domain';
import {
  aDivision,
  aGuest,
  aLeader,
  anAdministrator,
  asNewUser,
  aUser,
  makeWorld,
  storeDivision,
  storeUser,
} from '@chapter/domain/testing';
import { expect } from 'chai';

describe('The builders', () => {
  const chapter = aDivision().with({ name: 'North' });

  it('return people who fit every rule and port', () => {
    expect(can(aLeader().of(chapter), 'updateUser', aUser().of(chapter))).to.equal(true);
    expect(can(aGuest().of(chapter), 'getDivision', chapter)).to.equal(true);
    expect(can(aLeader(), 'listDivisions', chapter)).to.equal(false);
    expect(can(anAdministrator(), 'listDivisions', chapter)).to.equal(true);
    expect(explain(aLeader().of(chapter).inactive(), 'listUsers', chapter).outcome).to.equal('unauthenticated');
    expect(asNewUser(aUser().of(chapter))).to.include({ divisionId: chapter.id, passwordHash: null });
  });

  it('give each person and each division a unique id, name and division', () => {
    const [first, second] = [aUser(), aUser()];
    for (const field of ['id', 'username', 'divisionId'] as const) expect(first[field]).not.to.equal(second[field]);
    expect([first.division.id, aDivision().name]).not.to.include.members([second.division.id, aDivision().name]);
  });

  it('return members of one group, and Administrators by flags', () => {
    const people = [aLeader(), aGuest(), aUser(), anAdministrator()];
    expect(people.map(({ groups }) => groups.join())).to.deep.equal(['Leader', 'Guest', 'User', 'User']);
    expect(people.map((person) => person.isSuperuser || person.isStaff)).to.deep.equal([false, false, false, true]);
    expect(people.every(({ isActive }) => isActive)).to.equal(true);
  });

  it('return variants without changing the original', () => {
    const ada = aUser();
    const changed = ada
      .of(chapter)
      .inactive()
      .with({ firstName: 'Ada', groups: ['Guest'] });
    expect({ ...changed }).to.deep.equal({
      ...ada,
      division: { id: chapter.id, name: 'North' },
      divisionId: chapter.id,
      isActive: false,
      firstName: 'Ada',
      groups: ['Guest'],
    });
    expect([ada.isActive, ada.firstName]).to.deep.equal([true, '']);
  });

  it('keep divisionId and division.id equal unless both are set', () => {
    const { id, name } = chapter;
    expect(aUser().with({ division: { id, name } }).divisionId).to.equal(id);
    expect(aUser().of(chapter).with({ divisionId: null })).to.deep.include({
      divisionId: null,
      division: { id, name },
    });
    const renamed = chapter.with({ id: aDivision().id });
    expect(renamed.divisionId).to.equal(renamed.id);
  });

  it('can be stored with their division, which is stored once', async () => {
    const world = makeWorld();
    const [ada, eve] = [aLeader().of(chapter), aUser().of(chapter)];
    const stored = await storeUser(world, ada, 'hash');
    await storeUser(world, eve);
    expect(stored).to.include({ id: ada.id, username: ada.username });
    expect(await world.divisions.find(chapter.id)).to.include({ name: 'North', logo: null });
    expect((await world.credentials.find(ada.id))?.passwordHash).to.equal('hash');
    const { divisionId: _, ...fields } = chapter.with({ logo: 'https://example.org/' });
    expect(await storeDivision(makeWorld(), chapter.with({ logo: fields.logo }))).to.deep.equal({
      ...fields,
      revision: '1',
    });
  });
});
