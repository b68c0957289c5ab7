import { type Group, OPERATOR } from '@chapter/domain';
import { type DivisionId, makeUseCases, type SentFields, type UserId } from '@chapter/domain/api';
import type { Forceable } from '@chapter/domain/ports';
import { deleteUser, passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, faultsOf, refusal, useChapter } from './setup.ts';

describe('The operator', () => {
  const chapter = useChapter();
  beforeEach(() => void (chapter.world.hasher.work.count = 0));
  const createDivision = (fields: SentFields) => chapter.useCases.createDivision(OPERATOR, () => ({ fields }));
  const admit = (divisionId: DivisionId, fields: SentFields) =>
    chapter.useCases.createUser(OPERATOR, () => ({ fields }), divisionId);
  const set = (id: UserId, fields: SentFields, force?: boolean) =>
    chapter.useCases.updateUser(OPERATOR, id, () => ({ fields, force }));
  const invalid = async (attempt: () => unknown) => faultsOf(await refusal('validation_failed', attempt));
  const hashOf = async (id: UserId) => (await chapter.world.credentials.find(id))?.passwordHash ?? null;

  it('creates divisions, and deletes those that have no users', async () => {
    const { south, useCases, world } = chapter;
    const { id, ...west } = await createDivision({ name: ' West ', logo: 'https://example.org/l.png' });
    expect(west).to.include({ name: 'West', logo: 'https://example.org/l.png', fanpage: null });
    expect(await invalid(() => createDivision({ logo: 'x' }))).to.deep.equal(['name required', 'logo invalid_format']);
    expect(await invalid(() => createDivision({ name: 'East', id: 'x' }))).to.deep.equal(['id read_only']);
    await refusal('name_taken', () => createDivision({ name: 'WEST' }));
    const refused = await refusal('forbidden', () => useCases.deleteDivision(OPERATOR, south.id));
    expect(refused.message).to.equal('the division has users; move or delete them first');
    await useCases.deleteDivision(OPERATOR, id);
    expect(await world.divisions.find(id)).to.equal(null);
  });

  it('creates users in any division, including Administrators', async () => {
    const fields = { username: 'root', password: 'a long secret', groups: ['Leader'] };
    const root = await admit(chapter.south.id, { ...fields, isSuperuser: true });
    expect(root).to.deep.include({ isSuperuser: true, isStaff: false, groups: ['Leader'] });
    expect([root.division.name, passwordIn((await hashOf(root.id)) ?? '')]).to.deep.equal(['South', fields.password]);
    // The division is looked up before the fields are checked.
    await refusal('not_found', () => admit('no such id', { username: '' }));
    expect(await invalid(() => admit(chapter.south.id, {}))).to.deep.equal(['username required']);
    await refusal('validation_failed', () => admit(chapter.south.id, { username: 'x', password: '' }));
  });

  it('creates users without a password, who set one with a link from the operator', async () => {
    const { useCases, world, south } = chapter;
    const ada = await admit(south.id, { username: 'ada' });
    expect([await hashOf(ada.id), world.hasher.work.count]).to.deep.equal([null, 0]);
    const { token, expiresAt } = await useCases.createPasswordLink(OPERATOR, ada.id, () => ({ hours: 2 }));
    expect(Date.parse(expiresAt) - Date.parse(world.clock.now())).to.equal(2 * 3600 * 1000);
    const fields = { token, password: 'a brand new secret' };
    await useCases.redeemPasswordLink({ requestId: null, network: '' }, () => ({ fields }));
    const login = { username: 'ada', password: fields.password, network: '' };
    expect(await useCases.logIn(login)).to.have.property('accessToken');
  });

  it('lets a user log in again after too many failures', async () => {
    const { useCases, user } = chapter;
    const login = (password: string) => () => useCases.logIn({ username: 'user', password, network: '' });
    for (let times = 0; times < 10; times++) await refusal('invalid_credentials', login('wrong'));
    expect(await useCases.unlockUser(OPERATOR, user.id)).to.equal(10);
    expect(await login('user-secret')()).to.have.property('accessToken');
    await refusal('not_found', () => useCases.unlockUser(OPERATOR, 'no such id'));
  });

  it('ends one session, or all of a user, and is told when there is none', async () => {
    const { useCases, user, world } = chapter;
    const end = (which: { userId: UserId } | { sessionId: string }) => useCases.endSessions(OPERATOR, which);
    const login = { username: 'user', password: 'user-secret', network: '' };
    for (let sessions = 0; sessions < 3; sessions++) await useCases.logIn(login);
    const [{ id: sessionId } = { id: '' }] = await world.sessions.list(user.id);
    expect(await end({ sessionId })).to.deep.equal({ userId: user.id, ended: 1 });
    await refusal('not_found', () => end({ sessionId }));
    for (const ended of [2, 0]) expect(await end({ userId: user.id })).to.deep.equal({ userId: user.id, ended });
  });

  it('finds no session that another request has ended', async () => {
    const { world, user } = chapter;
    const users = { ...world.users, endSessions: async () => 0 };
    const sessions = { ...world.sessions, findOwner: async () => user.id };
    const { endSessions } = makeUseCases({ ...world, users, sessions });
    await refusal('not_found', () => endSessions(OPERATOR, { sessionId: user.id }));
  });

  it('sets flags, groups, activity and password, without the current one', async () => {
    const { lead, user, world } = chapter;
    const staff = await set(user.id, { groups: ['Guest'], isStaff: true });
    expect(staff).to.deep.include({ isStaff: true, groups: ['Guest'] });
    await set(user.id, { password: 'a new secret' });
    expect(passwordIn((await hashOf(user.id)) ?? '')).to.equal('a new secret');
    expect(world.hasher.shares).to.deep.equal([['operator']]);
    expect(await set(lead.id, { isActive: false }, true)).to.include({ isActive: false });
    expect(await invalid(() => set(user.id, { isStaff: 'yes', isSuperuser: null }))).to.deep.equal([
      'isStaff invalid_type',
      'isSuperuser invalid_type',
    ]);
    await refusal('not_found', () => set(world.ids.next(), { password: 'a new secret' }));
    expect(world.hasher.work.count).to.equal(1);
  });

  it('admits input of no other caller: force, hours, a division, flags, and no password', async () => {
    const { lead, north, south, useCases, user, world } = chapter;
    const leader = acting(lead);
    const update = () => ({ fields: { isActive: false }, force: true });
    await refusal('last_leader', () => useCases.updateUser(leader, lead.id, update));
    await refusal('last_leader', () => useCases.deleteUser(leader, lead.id, () => ({ force: true })));
    const { expiresAt } = await useCases.createPasswordLink(leader, user.id, () => ({ hours: 1 }));
    expect(Date.parse(expiresAt) - Date.parse(world.clock.now())).to.equal(72 * 3600 * 1000);
    const create = (fields: SentFields) => useCases.createUser(leader, () => ({ fields }), south.id);
    const fields = { username: 'ada', password: 'a long secret' };
    expect((await create(fields)).division.id).to.equal(north.id);
    expect(await invalid(() => create({ username: 'eve' }))).to.deep.equal(['password required']);
    for (const flag of ['isStaff', 'isSuperuser']) {
      const sent = () => ({ fields: { [flag]: true } });
      expect(await invalid(() => useCases.updateUser(leader, user.id, sent))).to.deep.equal([`${flag} read_only`]);
      expect(await invalid(() => create({ ...fields, [flag]: true }))).to.deep.equal([`${flag} read_only`]);
    }
  });

  it('is not counted for conflicts, and names the division of a new user', async () => {
    const count = () => expect.fail('a conflict was counted');
    const { createUser, updateDivision } = makeUseCases({ ...chapter.world, conflictLimits: { count } });
    const fields = { username: 'LEAD', password: 'a long secret' };
    await refusal('username_taken', () => createUser(OPERATOR, () => ({ fields }), chapter.south.id));
    await refusal('name_taken', () =>
      updateDivision(OPERATOR, chapter.north.id, () => ({ fields: { name: 'South' } })),
    );
    await refusal('not_found', () => createUser(OPERATOR, () => ({ fields })));
  });
});

describe('The operator who moves a user', () => {
  const chapter = useChapter();
  const move = (id: string, divisionId: string, options?: { readonly groups?: readonly Group[] }) =>
    chapter.useCases.moveUser(OPERATOR, id, divisionId, options);

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

describe('The operator who erases a user', () => {
  const chapter = useChapter();
  const erase = (id: string, options?: Forceable) => chapter.useCases.eraseUser(OPERATOR, id, options);

  it('erases what is left of a deleted user, without a rule about Leaders', async () => {
    const { lead, world } = chapter;
    await deleteUser(world, lead.id);
    expect(await erase(lead.id)).to.include({ auditEntries: 2 });
  });

  it('records a pruning of the audit trail under the nil UUID', async () => {
    const { world } = chapter;
    expect(await chapter.useCases.pruneAudit(OPERATOR, '2027-01-01T00:00:00.000Z')).to.equal(6);
    const nil = '00000000-0000-0000-0000-000000000000';
    const [entry] = await world.audit.list({ divisionId: nil, limit: 9 });
    expect(entry).to.include({ action: 'pruneAudit', targetType: 'audit', targetId: nil });
  });
});
