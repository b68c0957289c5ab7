import { makeUseCases, OPERATOR } from '@chapter/domain';
import { changeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, faultsOf, refusal, useChapter } from './setup.ts';

describe('updateUser', () => {
  const chapter = useChapter();
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

  it('accepts a birthdate up to today', async () => {
    const refused = await refusal('validation_failed', () => update('user', chapter.user, { birthdate: '2026-01-16' }));
    expect(refused.faults.map(({ detail }) => detail)).to.deep.equal(['must be from 1900-01-01 to 2026-01-15']);
    expect(await update('user', chapter.user, { birthdate: '2026-01-15' })).to.include({ birthdate: '2026-01-15' });
  });

  it('changes and renames a user whose name is a UUID, which earlier releases accepted', async () => {
    const username = '0190a000-0000-7000-8000-00000000000f';
    const old = await chapter.admit(username, ['User']);
    await chapter.useCases.logIn({ username, password: `${username}-secret`, network: '192.0.2.0/24' });
    expect(await update('lead', old, { firstName: 'Ada' })).to.include({ firstName: 'Ada', username });
    expect(await update('lead', old, { username: 'ada' })).to.include({ username: 'ada' });
    await refusal('validation_failed', () => update('lead', old, { username }));
  });

  it('compares the given revisions with the stored one', async () => {
    const { useCases, lead, user } = chapter;
    const change = (revisions: string[]) =>
      useCases.updateUser(acting(lead), user.id, () => ({ fields: { lastName: 'L' }, revisions }));
    await refusal('precondition_failed', () => change(['another']));
    expect(await change(['another', user.revision])).to.include({ lastName: 'L' });
    await refusal('precondition_failed', () => change([user.revision]));
  });

  it('passes what it has read on to the write, unless the password changes', async () => {
    const { lead, user, world } = chapter;
    const known: unknown[] = [];
    const write: typeof world.users.write = (author, target, decide) => {
      known.push(target.known);
      return world.users.write(author, target, decide);
    };
    const useCases = makeUseCases({ ...world, users: { ...world.users, write } });
    await useCases.updateUser(acting(lead), user.id, () => ({ fields: { lastName: 'L' } }));
    await useCases.updateUser(acting(lead), user.id, () => ({ fields: { password: 'another-secret' } }));
    await useCases.updateUser(OPERATOR, user.id, () => ({ fields: { lastName: 'M' } }));
    expect(known).to.deep.equal([{ actor: acting(lead), user }, undefined, undefined]);
  });

  it('refuses a password that becomes the user’s username in the meantime', async () => {
    const { useCases, lead, user, world } = chapter;
    const before = await world.credentials.find(user.id);
    const update = useCases.updateUser(acting(lead), user.id, async () => {
      await changeUser(world, user.id, { username: 'a-new-name' });
      return { fields: { password: 'A-NEW-NAME' }, revisions: [user.revision] };
    });
    expect(faultsOf(await refusal('validation_failed', () => update))).to.deep.equal(['password too_common']);
    expect((await world.credentials.find(user.id))?.passwordHash).to.equal(before?.passwordHash);
  });
});
