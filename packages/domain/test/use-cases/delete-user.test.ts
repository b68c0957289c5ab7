import { expect } from 'chai';
import { acting, makeChapter, refusal } from './setup.ts';

describe('deleteUser', () => {
  it('refuses to delete the last active Leader, and a user who has changed since the caller read them', async () => {
    const { useCases, lead, user, world } = await makeChapter();
    await refusal('last_leader', () => useCases.deleteUser(acting(lead), lead.id, () => ({})));
    await refusal('precondition_failed', () =>
      useCases.deleteUser(acting(lead), user.id, () => ({ revisions: ['another'] })),
    );
    expect(await world.users.find(user.id)).to.deep.equal(user);
  });
});
