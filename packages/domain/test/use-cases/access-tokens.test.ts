import { authorizeCredential, OPERATOR, policy, readingActions, sessionActions } from '@chapter/domain/api';
import { expect } from 'chai';
import { acting, faultsOf, refusal, unasked, useChapter } from './setup.ts';

describe('Personal access tokens', () => {
  const chapter = useChapter();
  const expiresAt = '2026-12-31T00:00:00.000Z';

  const create = (fields: Record<string, unknown> = {}) =>
    chapter.useCases.createAccessToken(acting(chapter.user), chapter.user.id, () => ({
      fields: { name: 'script', expiresAt, ...fields },
    }));
  const faults = async (fields: Record<string, unknown>) =>
    faultsOf(await refusal('validation_failed', () => create(fields)));

  it('act as their user with the present rights, and say which token it is', async () => {
    const { token, id, ...shown } = await create({ name: ' nightly  ' });
    expect(token).to.match(/^chapter_pat_[0-9a-f]{72}$/);
    const createdAt = chapter.world.clock.now();
    expect(shown).to.deep.equal({ name: 'nightly', isReadOnly: false, createdAt, expiresAt, lastUsedOn: null });
    await chapter.update('lead', chapter.user, { groups: ['Guest'] });
    const caller = await chapter.authenticate(token, 'listUsers');
    expect(caller).to.deep.include({ id: chapter.user.id, groups: ['Guest'], token: { id, isReadOnly: false } });
    expect(caller).not.to.have.property('sessionId');
    await chapter.update('lead', chapter.user, { isActive: false });
    await refusal('invalid_token', () => chapter.authenticate(token));
  });

  it('have a name, and an end in the next 366 days', async () => {
    const now = Date.parse(chapter.world.clock.now());
    const inSeconds = (seconds: number) => new Date(now + seconds * 1000).toISOString();
    const longest = 366 * 24 * 60 * 60;
    for (const end of [inSeconds(0.001), inSeconds(longest), '2026-06-01T02:00+02:00'])
      await create({ expiresAt: end });
    for (const end of [inSeconds(0), inSeconds(longest + 0.001), '9999-12-31T23:59:59Z', '2025-01-01T00:00:00Z']) {
      expect(await faults({ expiresAt: end })).to.deep.equal(['expiresAt out_of_range']);
    }
    for (const end of ['', '2026-06-31T00:00:00Z', '2026-06-01', '2026-06-01T00:00:00', ' 2026-06-01T00:00:00Z']) {
      expect(await faults({ expiresAt: end })).to.deep.equal(['expiresAt invalid_format']);
    }
    expect(await faults({ expiresAt: null, name: '', readOnly: 'true', digest: 'x' })).to.deep.equal([
      'name too_short',
      'expiresAt invalid_type',
      'readOnly invalid_type',
      'digest unknown_field',
    ]);
    expect(await faults({ name: '😀'.repeat(101) })).to.deep.equal(['name too_long']);
    await create({ name: '😀'.repeat(100) });
    const nothing = () =>
      chapter.useCases.createAccessToken(acting(chapter.user), chapter.user.id, () => ({ fields: {} }));
    expect(faultsOf(await refusal('validation_failed', nothing))).to.deep.equal([
      'name required',
      'expiresAt required',
    ]);
  });

  it('say what is wrong with their end', async () => {
    const detailOf = async (end: string) =>
      (await refusal('validation_failed', () => create({ expiresAt: end }))).faults.map(({ detail }) => detail);
    expect(await detailOf('2999-01-01T00:00:00Z')).to.deep.equal(['must be in the future, at most 366 days from now']);
    for (const end of ['tomorrow', `${expiresAt}x`, `x${expiresAt}`, `${expiresAt} or later`]) {
      expect(await detailOf(end)).to.deep.equal(['must be an instant such as 2026-01-31T12:00:00Z']);
    }
  });

  it('do not set a password by a change of a user, and by no other action', () => {
    const caller = { ...acting(chapter.user), token: { id: chapter.user.id, isReadOnly: false } };
    expect(() => authorizeCredential(caller, 'updateUser', { password: 'x' })).to.throw('personal access token');
    for (const fields of [{ password: 'x' }, {}]) authorizeCredential(caller, 'createUser', fields);
  });

  it('cause no look-up if their checksum is wrong', async () => {
    const { token } = await create();
    chapter.world.personalTokens.use = () => expect.fail('looked up');
    for (const wrong of [
      'chapter_pat_',
      token.slice(0, -1),
      `${token}0`,
      token.replace(/.$/, 'x'),
      token.toUpperCase(),
    ]) {
      await refusal('invalid_token', () => chapter.authenticate(wrong));
    }
  });

  it('are hidden from all other users, and end for their user and the operator only', async () => {
    const { useCases, lead, user } = chapter;
    const [{ id }, second] = [await create(), await create()];
    for (const caller of [acting(lead), acting(chapter.elsewhere)]) {
      await refusal('not_found', () => useCases.listAccessTokens(caller, user.id));
      await refusal('not_found', () => useCases.createAccessToken(caller, user.id, unasked));
      await refusal('not_found', () => useCases.endAccessToken(caller, user.id, id, unasked));
      await refusal('not_found', () => useCases.endAccessToken(caller, caller.id, id, unasked));
    }
    const refused = useCases.endAccessToken(acting(user), user.id, id, () => Promise.reject(new RangeError('refused')));
    expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    await useCases.endAccessToken(acting(user), user.id, id, () => {});
    await refusal('not_found', () => useCases.endAccessToken(acting(user), user.id, id, unasked));
    expect((await useCases.listAccessTokens(OPERATOR, user.id)).map((token) => token.id)).to.deep.equal([second.id]);
    await useCases.endAccessToken(OPERATOR, user.id, second.id, () => {});
    expect(await useCases.listAccessTokens(acting(user), user.id)).to.deep.equal([]);
  });

  it('are not created for an inactive user, before the body is read', async () => {
    await chapter.update('lead', chapter.user, { isActive: false });
    await refusal('forbidden', () => chapter.useCases.createAccessToken(OPERATOR, chapter.user.id, unasked));
  });

  it('compare their end with the time at which the body has arrived', async () => {
    const { useCases, user, world } = chapter;
    const late = useCases.createAccessToken(acting(user), user.id, async () => {
      world.clock.advance(2);
      return { fields: { name: 'script', expiresAt: new Date(Date.parse(world.clock.now()) - 1000).toISOString() } };
    });
    expect(faultsOf(await refusal('validation_failed', () => late))).to.deep.equal(['expiresAt out_of_range']);
  });

  it('never change a password, even a right current one, and no other way of creating users is closed', async () => {
    const { guest, lead, useCases, user } = chapter;
    const { token } = await useCases.createAccessToken(OPERATOR, lead.id, () => ({ fields: { name: 'n', expiresAt } }));
    const caller = await chapter.authenticate(token, 'updateUser');
    const update = (id: string, fields: Record<string, unknown>) =>
      useCases.updateUser(caller, id, () => ({ fields, faults: [] }));
    for (const [id, more] of [
      [user.id, {}],
      [lead.id, { currentPassword: 'lead-secret' }],
      [guest.id, { id: 'read-only' }],
    ] as const) {
      for (const password of ['a new secret', null]) {
        await refusal('session_required', () => update(id, { password, ...more }));
      }
    }
    expect((await update(user.id, { firstName: 'Uma', currentPassword: 'x' })).firstName).to.equal('Uma');
    const fields = { username: 'new', password: 'an uncommon password' };
    const created = await chapter.useCases.createUser(caller, () => ({ fields }));
    expect(created.username).to.equal('new');
  });

  it('limit only callers who use one', () => {
    const { user } = chapter;
    for (const action of Object.keys(policy)) {
      for (const caller of [OPERATOR, acting(user), { ...acting(user), sessionId: user.id }]) {
        expect(() => authorizeCredential(caller, action, { password: 'x' })).not.to.throw();
      }
    }
    expect(Object.keys(policy)).to.include.members([...sessionActions, ...readingActions]);
  });
});
