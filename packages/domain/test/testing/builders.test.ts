import { aDivision, aLeader, aUser, makeWorld, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';

describe('The builders', () => {
  const chapter = aDivision().with({ name: 'North' });

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
