import { makeMoveUser, makeRemoveUser, OPERATOR } from '@chapter/domain';
import { expect } from 'chai';
import { type Chapter, faultsOf, makeChapter, refusal } from '../setup.ts';

describe('The operator who moves a user', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('makes them an ordinary member of the new division', async () => {
    const { guest, south, world } = chapter;
    const moved = await makeMoveUser(world)(OPERATOR, guest.id, south.id);
    expect([moved.division, moved.groups]).to.deep.equal([{ id: south.id, name: 'South' }, ['User']]);
    expect(await world.users.find(guest.id)).to.deep.equal(moved);
  });

  it('sets the given groups', async () => {
    const { guest, south, user, world } = chapter;
    const move = makeMoveUser(world);
    const leading = await move(OPERATOR, guest.id, south.id, { groups: ['User', 'Leader'] });
    expect(leading.groups).to.deep.equal(['Leader', 'User']);
    const twice = await refusal('validation_failed', () =>
      move(OPERATOR, user.id, south.id, { groups: ['User', 'User'] }),
    );
    expect(faultsOf(twice)).to.deep.equal(['groups duplicate']);
    expect(await world.users.find(user.id)).to.deep.equal(user);
  });

  it('gets an error for an unknown user or division, and for the present division', async () => {
    const { north, user, world } = chapter;
    const move = makeMoveUser(world);
    await refusal('not_found', () => move(OPERATOR, world.ids.next(), north.id));
    await refusal('not_found', () => move(OPERATOR, user.id, world.ids.next()));
    const same = await refusal('forbidden', () => move(OPERATOR, user.id, north.id));
    expect(same.message).to.equal('the user already belongs to this division');
    expect(await world.users.find(user.id)).to.deep.equal(user);
  });

  it('moves the last Leader away from other members only with force', async () => {
    const { lead, south, world } = chapter;
    const move = makeMoveUser(world);
    await refusal('last_leader', () => move(OPERATOR, lead.id, south.id));
    await refusal('last_leader', () => move(OPERATOR, lead.id, south.id, { groups: ['Leader'] }));
    expect((await move(OPERATOR, lead.id, south.id, { force: true })).division.id).to.equal(south.id);
  });
});

describe('The operator who deletes a user', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('deletes members of any division, and the only member of one', async () => {
    const { elsewhere, user, world } = chapter;
    const remove = makeRemoveUser(world);
    for (const { id } of [user, elsewhere]) {
      await remove(OPERATOR, id);
      expect(await world.users.find(id)).to.equal(null);
      await refusal('not_found', () => remove(OPERATOR, id));
    }
  });

  it('deletes the last Leader of other members only with force, and then the others', async () => {
    const { guest, lead, world } = chapter;
    const remove = makeRemoveUser(world);
    await refusal('last_leader', () => remove(OPERATOR, lead.id));
    expect(await world.users.find(lead.id)).to.deep.equal(lead);
    await remove(OPERATOR, lead.id, { force: true });
    await remove(OPERATOR, guest.id);
    expect(await world.users.find(guest.id)).to.equal(null);
  });
});
