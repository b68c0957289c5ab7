import { type ChangeQuery, OPERATOR } from '@chapter/domain';
import { changeUser, deleteUser, moveUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, faultsOf, refusal, unasked, useChapter } from './setup.ts';

describe('The history of a division', () => {
  const chapter = useChapter();
  const read = (who: 'lead' | 'elsewhere', query: Partial<ChangeQuery> = {}) =>
    chapter.useCases.listChanges(acting(chapter[who]), () => ({ side: 'after', position: '', size: 100, ...query }));
  const about = async (who: 'lead' | 'elsewhere', id: string) =>
    (await read(who)).entries.filter(({ targetId }) => targetId === id);

  it('is for Leaders, also if they are Administrators', async () => {
    const { admit, guest, useCases, user } = chapter;
    const administrator = await admit('root', ['Guest'], { isSuperuser: true, isStaff: true });
    for (const who of [guest, user, administrator]) {
      await refusal('forbidden', () => useCases.listChanges(acting(who), unasked));
    }
    await refusal('invalid_token', () => useCases.listChanges({ ...acting(chapter.lead), isActive: false }, unasked));
  });

  it('says who changed what in the own division, also of deleted users, and nothing of others', async () => {
    const { elsewhere, lead, update, user } = chapter;
    await update('lead', user, { firstName: 'Ada', password: 'a long new secret' });
    await deleteUser(chapter.world, user.id);
    const [created, updated, deleted] = await about('lead', user.id);
    expect(created).to.include({ action: 'createUser', authorId: null, authorName: 'operator', targetName: null });
    expect(updated).to.include({ action: 'updateUser', authorId: lead.id, authorName: 'lead' });
    expect(updated?.changes).to.deep.equal({
      firstName: { old: '', new: 'Ada' },
      password: { old: null, new: 'changed' },
    });
    expect(deleted?.changes['username']).to.deep.equal({ old: 'user', new: null });
    expect(await about('lead', elsewhere.id)).to.deep.equal([]);
  });

  it('tells the Leaders of the old division nothing of the new one, and those of the new one no old values', async () => {
    const { north, south, user, world } = chapter;
    await changeUser(world, user.id, { firstName: 'Ada' });
    await moveUser(world, user.id, south.id, { groups: ['Guest'] });
    await changeUser(world, user.id, { username: 'renamed', lastName: 'Secret' });
    const [, , left, ...later] = await about('lead', user.id);
    expect(left?.changes).to.deep.equal({ division: { old: { id: north.id, name: 'North' }, new: null } });
    expect(later).to.deep.equal([]);
    expect(JSON.stringify(await read('lead'))).to.not.match(/South|renamed|Secret|elsewhere/);
    const [joined] = await about('elsewhere', user.id);
    expect(joined?.changes).to.deep.equal({
      groups: { old: null, new: ['Guest'] },
      division: { old: null, new: { id: south.id, name: 'South' } },
    });
    expect(JSON.stringify(await read('elsewhere'))).to.not.match(/North|Ada|lead/);
  });

  it('does not show sessions and failed logins of a member', async () => {
    const { logIn, useCases, user } = chapter;
    await logIn('user', 'user-secret');
    await useCases.endSessions(OPERATOR, { userId: user.id });
    const [, ended] = await about('lead', user.id);
    expect([ended?.action, ended?.changes]).to.deep.equal(['endSessions', {}]);
  });

  it('refuses positions of another division, also of a move that both divisions have', async () => {
    const { lead, south, user, world } = chapter;
    await moveUser(world, user.id, south.id);
    const { after } = await read('lead');
    expect((await read('lead', { position: after })).entries).to.deep.equal([]);
    for (const [side, field] of [
      ['after', 'after'],
      ['before', 'cursor'],
    ] as const) {
      for (const position of [after, `${south.id} ${after.split(' ')[1]?.slice(1)}`, 'x']) {
        const refused = await refusal('validation_failed', () => read('elsewhere', { side, position }));
        expect(faultsOf(refused)).to.deep.equal([`${field} invalid_cursor`]);
      }
    }
    await moveUser(world, lead.id, south.id, { groups: ['Leader'] });
    const moved = { ...acting(lead), divisionId: south.id };
    const query = { side: 'after', position: after, size: 1 } as const;
    await refusal('validation_failed', () => chapter.useCases.listChanges(moved, () => query));
  });
});
