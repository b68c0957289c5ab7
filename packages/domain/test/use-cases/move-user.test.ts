import { type Group, OPERATOR } from '@chapter/domain';
import { expect } from 'chai';
import { type Chapter, faultsOf, makeChapter, refusal } from './setup.ts';

describe('The operator who moves a user', () => {
  let chapter: Chapter;
  const move = (id: string, divisionId: string, options?: { readonly groups?: readonly Group[] }) =>
    chapter.useCases.moveUser(OPERATOR, id, divisionId, options);
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('makes them an ordinary member of the new division', async () => {
    const { guest, south, world } = chapter;
    const moved = await move(guest.id, south.id);
    expect([moved.division, moved.groups]).to.deep.equal([{ id: south.id, name: 'South' }, ['User']]);
    expect(await world.users.find(guest.id)).to.deep.equal(moved);
  });

  it('sets the given groups', async () => {
    const { guest, south, user, world } = chapter;
    const leading = await move(guest.id, south.id, { groups: ['User', 'Leader'] });
    expect(leading.groups).to.deep.equal(['Leader', 'User']);
    const twice = await refusal('validation_failed', () => move(user.id, south.id, { groups: ['User', 'User'] }));
    expect(faultsOf(twice)).to.deep.equal(['groups duplicate']);
    expect(await world.users.find(user.id)).to.deep.equal(user);
  });
});
