import { type LockedUser, makeSetUser, OPERATOR, requireLeaderRemains, type User } from '@chapter/domain';
import { aDivision, aLeader } from '@chapter/domain/testing';
import { expect } from 'chai';
import { type Chapter, makeChapter, refusal } from '../setup.ts';

describe('The rule that a division with members keeps an active Leader', () => {
  const user = aLeader();
  const alone = { user, isLastLeader: true, leadsOthersAlone: false };
  const leading = { user, isLastLeader: true, leadsOthersAlone: true };
  const demoted = user.with({ groups: ['User'] });
  const moved = user.of(aDivision());

  const refused: readonly (readonly [
    string,
    Pick<LockedUser, 'user' | 'isLastLeader' | 'leadsOthersAlone'>,
    User | null,
  ])[] = [
    ['the deletion of a last Leader who leads others', leading, null],
    ['the move of a last Leader who leads others', leading, moved],
    ['the demotion of a last Leader who leads others', leading, demoted],
    ['the deactivation of a last Leader', leading, user.inactive()],
    ['the demotion of the only member', alone, demoted],
  ];
  for (const [title, locked, after] of refused) {
    it(`refuses ${title}, unless forced`, async () => {
      await refusal('last_leader', () => requireLeaderRemains(locked, after));
      await refusal('last_leader', () => requireLeaderRemains(locked, after, { force: false }));
      requireLeaderRemains(locked, after, { force: true });
    });
  }

  it('allows changes that leave a Leader or no member', () => {
    requireLeaderRemains(alone, null);
    requireLeaderRemains(alone, moved);
    requireLeaderRemains(leading, user.with({ firstName: 'Ada' }));
    const oneOfSeveral = { user, isLastLeader: false, leadsOthersAlone: false };
    for (const after of [null, moved, demoted]) requireLeaderRemains(oneOfSeveral, after);
  });
});

describe('The operator who changes the last Leader', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('demotes or deactivates them only with force', async () => {
    const set = makeSetUser(chapter.world);
    await refusal('last_leader', () => set(OPERATOR, chapter.lead.id, { groups: ['User'] }));
    await refusal('last_leader', () => set(OPERATOR, chapter.lead.id, { isActive: false }));
    expect((await chapter.world.users.find(chapter.lead.id))?.revision).to.equal(chapter.lead.revision);
    const demoted = await set(OPERATOR, chapter.lead.id, { groups: ['User'] }, {}, { force: true });
    expect(demoted.groups).to.deep.equal(['User']);
  });

  it('changes the members of a division that has no active Leader', async () => {
    const { world, guest } = chapter;
    const set = makeSetUser(world);
    await set(OPERATOR, chapter.lead.id, { isActive: false }, {}, { force: true });
    expect(await set(OPERATOR, chapter.guest.id, { isActive: false })).to.include({ id: guest.id, isActive: false });
    expect((await set(OPERATOR, chapter.user.id, { groups: ['Leader'] })).groups).to.deep.equal(['Leader']);
  });
});
