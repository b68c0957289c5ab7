import { type ChangeQuery, makeUseCases, OPERATOR } from '@chapter/domain/api';
import { changeUser, deleteUser, moveUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, faultsOf, refusal, useChapter } from './setup.ts';

describe('The history of a division', () => {
  const chapter = useChapter();
  const read = (who: 'lead' | 'elsewhere', query: Partial<ChangeQuery> = {}) =>
    chapter.useCases.listChanges(acting(chapter[who]), () => ({ side: 'after', position: '', size: 100, ...query }));
  const about = async (who: 'lead' | 'elsewhere', id: string) =>
    (await read(who)).entries.filter(({ targetId }) => targetId === id);

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

  it('shows the filters of an export, and of a change within a division what was before it', async () => {
    const { lead, north, world } = chapter;
    const entry = {
      id: lead.id,
      at: '2026-01-01T00:00:00.000Z',
      authorId: null,
      authorName: 'operator',
      requestId: null,
    };
    const target = { targetType: 'user' as const, targetId: lead.id, targetName: 'lead' };
    const changes = { filters: { old: null, new: 'x' }, username: { old: 'a', new: 'b' } };
    const list = (more: object, next: string | null = null, after = '') => {
      const entries = [{ ...entry, ...target, action: 'updateUser' as const, divisionId: north.id, changes, ...more }];
      const feed = { list: async () => ({ entries, next, after }) } as never;
      return makeUseCases({ ...world, changes: feed }).listChanges(acting(lead), () => query);
    };
    const query = { side: 'after' as const, position: '', size: 1 };
    const first = async (leftDivisionId: string | null, more: object = {}) =>
      (await list({ leftDivisionId, ...more })).entries[0]?.changes;
    expect(await first(null)).to.deep.equal(changes);
    const after = { filters: { old: null, new: 'x' }, username: { old: null, new: 'b' } };
    expect([await first(north.id), await first(chapter.south.id)]).to.deep.equal([after, after]);
    const left = await first(north.id, { divisionId: chapter.south.id });
    expect(left).to.deep.equal({ division: { old: null, new: null } });
    expect(await list({ leftDivisionId: null }, '7', '8')).to.include({
      next: `${north.id} 7`,
      after: `${north.id} 8`,
    });
    expect(await list({ leftDivisionId: null })).to.include({ next: null, after: '' });
  });

  it('is not asked for a position that is none of the division, with a sentence', async () => {
    const { lead, world } = chapter;
    const feed = { list: () => expect.fail('asked') } as never;
    const { listChanges } = makeUseCases({ ...world, changes: feed });
    const query = { side: 'after' as const, position: 'elsewhere 1', size: 1 };
    const { faults } = await refusal('validation_failed', () => listChanges(acting(lead), () => query));
    expect(faults[0]?.detail).to.equal('is no position in the history of this division (any more); start again');
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
