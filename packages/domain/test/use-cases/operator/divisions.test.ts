import { makeRemoveDivision, makeRemoveUser, makeRenameDivision, OPERATOR } from '@chapter/domain';
import { expect } from 'chai';
import { type Chapter, faultsOf, makeChapter, refusal } from '../setup.ts';

describe('The operator and divisions', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('renames a division, and nothing else', async () => {
    const { north, user, world } = chapter;
    const { revision, ...renamed } = await makeRenameDivision(world)(OPERATOR, north.id, ' West ');
    expect({ ...renamed, revision: north.revision }).to.deep.equal({ ...north, name: 'West' });
    expect(revision).not.to.equal(north.revision);
    expect((await world.users.find(user.id))?.division.name).to.equal('West');
  });

  it('gets the faults of a name', async () => {
    const { north, world } = chapter;
    const rename = makeRenameDivision(world);
    await refusal('name_taken', () => rename(OPERATOR, north.id, 'SOUTH'));
    await refusal('not_found', () => rename(OPERATOR, world.ids.next(), 'West'));
    const empty = await refusal('validation_failed', () => rename(OPERATOR, north.id, ' '));
    expect(faultsOf(empty)).to.deep.equal(['name too_short']);
    expect(await world.divisions.find(north.id)).to.deep.equal(north);
  });

  it('deletes a division only when it has no users', async () => {
    const { elsewhere, south, world } = chapter;
    const remove = makeRemoveDivision(world);
    const refused = await refusal('forbidden', () => remove(OPERATOR, south.id));
    expect(refused.message).to.equal('the division has users; move or delete them first');
    await makeRemoveUser(world)(OPERATOR, elsewhere.id);
    await remove(OPERATOR, south.id);
    expect(await world.divisions.find(south.id)).to.equal(null);
    await refusal('not_found', () => remove(OPERATOR, south.id));
  });
});
