import { expect } from 'chai';
import { acting, type Chapter, faultsOf, makeChapter, refusal, unasked } from './setup.ts';

describe('updateUser', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });
  const update = (
    who: 'lead' | 'guest' | 'user' | 'elsewhere',
    target: { id: string },
    fields: Record<string, unknown>,
  ) => chapter.useCases.updateUser(acting(chapter[who]), target.id, () => ({ fields }));

  it('lets a Leader change a member of the division without changing other fields', async () => {
    const changed = await update('lead', chapter.user, {
      firstName: ' Ada ',
      groups: ['User', 'Guest'],
      isActive: false,
    });
    expect(changed).to.deep.include({ firstName: 'Ada', groups: ['Guest', 'User'], isActive: false, username: 'user' });
    expect(await chapter.world.users.find(chapter.user.id)).to.deep.equal(changed);
    expect(changed.revision).not.to.equal(chapter.user.revision);
  });

  it('lets users change their own profile', async () => {
    expect(await update('user', chapter.user, { email: 'ada@example.org' })).to.include({ email: 'ada@example.org' });
  });

  it('reads no input from callers who may not know of the target or not change it', async () => {
    const { useCases, elsewhere, guest, user } = chapter;
    await refusal('not_found', () => useCases.updateUser(acting(elsewhere), user.id, unasked));
    await refusal('not_found', () => useCases.updateUser(acting(user), guest.id, unasked));
    await refusal('forbidden', () => useCases.updateUser(acting(guest), user.id, unasked));
    await refusal('not_found', () => useCases.updateUser(acting(guest), 'no such id', unasked));
  });

  it('rejects fields that the caller may not write before faults of other fields', async () => {
    const refused = await refusal('field_forbidden', () =>
      update('user', chapter.user, { groups: ['Leader'], isActive: 'x', username: 7, division: chapter.south.id }),
    );
    expect(faultsOf(refused)).to.deep.equal([
      'groups field_forbidden',
      'isActive field_forbidden',
      'division field_forbidden',
    ]);
  });

  it('reports all faults at once', async () => {
    const refused = await refusal('validation_failed', () =>
      update('lead', chapter.user, { username: '', email: 'x', id: 'y', nickname: 'z', password: 'user-new' }),
    );
    expect(faultsOf(refused)).to.deep.equal([
      'username too_short',
      'email invalid_format',
      'id read_only',
      'nickname unknown_field',
    ]);
  });

  it('accepts a birthdate up to today', async () => {
    const refused = await refusal('validation_failed', () => update('user', chapter.user, { birthdate: '2026-01-16' }));
    expect(refused.faults.map(({ detail }) => detail)).to.deep.equal(['must be from 1900-01-01 to 2026-01-15']);
    expect(await update('user', chapter.user, { birthdate: '2026-01-15' })).to.include({ birthdate: '2026-01-15' });
  });

  it('accepts the current division in any case', async () => {
    const changed = await update('user', chapter.user, { division: chapter.north.id.toUpperCase(), lastName: 'L' });
    expect(changed.division).to.deep.equal({ id: chapter.north.id, name: 'North' });
  });

  it('changes nothing without fields', async () => {
    expect(await update('user', chapter.user, {})).to.deep.equal(chapter.user);
  });

  it('compares the given revisions with the stored one', async () => {
    const { useCases, lead, user } = chapter;
    const change = (revisions: string[]) =>
      useCases.updateUser(acting(lead), user.id, () => ({ fields: { lastName: 'L' }, revisions }));
    await refusal('precondition_failed', () => change(['another']));
    expect(await change(['another', user.revision])).to.include({ lastName: 'L' });
    await refusal('precondition_failed', () => change([user.revision]));
  });

  it('checks permission again in the transaction', async () => {
    const { useCases, world, lead, user } = chapter;
    const demoted = useCases.updateUser(acting(lead), user.id, async () => {
      const demotion = { user: { ...lead, groups: [] as const }, endsSessions: false };
      await world.users.update({ userId: null, name: 'operator', requestId: null }, lead.id, () => demotion);
      return { fields: { lastName: 'L' } };
    });
    await refusal('not_found', () => demoted);
    expect(await world.users.find(user.id)).to.include({ lastName: '' });
  });

  it('refuses to demote or deactivate the last active Leader of the division', async () => {
    const { lead } = chapter;
    await refusal('last_leader', () => update('lead', lead, { groups: ['Guest'] }));
    await refusal('last_leader', () => update('lead', lead, { isActive: false }));
    expect(await update('lead', lead, { lastName: 'L' })).to.include({ lastName: 'L' });
    await chapter.admit('second', ['Leader']);
    expect(await update('lead', lead, { groups: ['Guest'] })).to.deep.include({ groups: ['Guest'] });
  });

  it('reports a taken name', async () => {
    await refusal('username_taken', () => update('lead', chapter.user, { username: 'GUEST' }));
  });

  it('records the author and the changes', async () => {
    await update('lead', chapter.user, { lastName: 'L', password: 'a new secret' });
    const [entry] = await chapter.world.audit.list({ userIds: [chapter.user.id], limit: 1 });
    expect(entry).to.deep.include({ action: 'updateUser', authorId: chapter.lead.id, requestId: 'request-1' });
    expect(entry?.changes).to.deep.equal({ lastName: { old: '', new: 'L' }, password: { old: null, new: 'changed' } });
  });
});
