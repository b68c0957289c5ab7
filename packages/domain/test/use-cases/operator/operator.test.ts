import {
  makeCreateDivision,
  makeCreateUserAsOperator,
  makeEndSessions,
  makeLinkUser,
  makeSetUser,
  OPERATOR,
} from '@chapter/domain';
import { changeUser, passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { type Chapter, faultsOf, makeChapter, refusal } from '../setup.ts';

describe('The operator', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  it('creates divisions', async () => {
    const create = makeCreateDivision(chapter.world);
    const division = await create(OPERATOR, { name: ' West ', logo: 'https://example.org/l.png' });
    expect(division).to.include({ name: 'West', logo: 'https://example.org/l.png', fanpage: null });
    expect(faultsOf(await refusal('validation_failed', () => create(OPERATOR, { logo: 'x' })))).to.deep.equal([
      'name required',
      'logo invalid_format',
    ]);
    await refusal('name_taken', () => create(OPERATOR, { name: 'WEST' }));
  });

  it('creates users without a password, who cannot log in', async () => {
    const { world, north } = chapter;
    world.hasher.work.count = 0;
    const { id } = await makeCreateUserAsOperator(world)(OPERATOR, north.id, { username: 'new' });
    expect((await world.credentials.find(id))?.passwordHash).to.equal(null);
    expect(world.hasher.work.count).to.equal(0);
    const sent = { username: 'other', password: 'a long secret' };
    const other = await makeCreateUserAsOperator(world)(OPERATOR, north.id, sent);
    expect(passwordIn((await world.credentials.find(other.id))?.passwordHash ?? '')).to.equal('a long secret');
  });

  it('finds no session that has no owner, or that another request has ended', async () => {
    const { world, user } = chapter;
    const endWith = (owner: string | null, ended: number) =>
      makeEndSessions({
        users: { ...world.users, endSessions: async () => ended },
        sessions: { ...world.sessions, findOwner: async () => owner },
      })(OPERATOR, { sessionId: user.id });
    await refusal('not_found', () => endWith(null, 1));
    await refusal('not_found', () => endWith(user.id, 0));
    expect(await endWith(user.id, 1)).to.deep.equal({ userId: user.id, ended: 1 });
  });

  it('creates users in any division, including Administrators', async () => {
    const admit = makeCreateUserAsOperator(chapter.world);
    const fields = { username: 'root', password: 'a long secret', groups: ['Leader'] };
    const root = await admit(OPERATOR, chapter.south.id, fields, { isSuperuser: true });
    expect(root).to.deep.include({ isSuperuser: true, isStaff: false, groups: ['Leader'] });
    expect(root.division.name).to.equal('South');
    await refusal('not_found', () => admit(OPERATOR, 'no such id', fields));
    expect(faultsOf(await refusal('validation_failed', () => admit(OPERATOR, chapter.south.id, {})))).to.deep.equal([
      'username required',
    ]);
    await refusal('validation_failed', () => admit(OPERATOR, chapter.south.id, { username: 'x', password: '' }));
  });

  it('creates users without a password, who set one with a link from the operator', async () => {
    const { useCases, world, south } = chapter;
    const ada = await makeCreateUserAsOperator(world)(OPERATOR, south.id, { username: 'ada' });
    expect((await world.credentials.find(ada.id))?.passwordHash).to.equal(null);
    const { token, expiresAt } = await makeLinkUser(world)(OPERATOR, ada.id, 2);
    expect(Date.parse(expiresAt) - Date.parse(world.clock.now())).to.equal(2 * 3600 * 1000);
    const fields = { token, password: 'a brand new secret' };
    await useCases.redeemPasswordLink({ requestId: null, network: '' }, () => ({ fields }));
    const login = { username: 'ada', password: fields.password, network: '' };
    expect(await useCases.logIn(login)).to.have.property('accessToken');
    await refusal('not_found', () => makeLinkUser(world)(OPERATOR, 'no such id'));
  });

  it('ends one session, or all of a user, and is told when there is none', async () => {
    const { useCases, user, world } = chapter;
    const end = makeEndSessions(world);
    const login = { username: 'user', password: 'user-secret', network: '' };
    for (let sessions = 0; sessions < 3; sessions++) await useCases.logIn(login);
    const [{ id: sessionId } = { id: '' }] = await world.sessions.list(user.id);
    expect(await end(OPERATOR, { sessionId })).to.deep.equal({ userId: user.id, ended: 1 });
    await refusal('not_found', () => end(OPERATOR, { sessionId }));
    expect(await end(OPERATOR, { userId: user.id })).to.deep.equal({ userId: user.id, ended: 2 });
    expect(await end(OPERATOR, { userId: user.id })).to.deep.equal({ userId: user.id, ended: 0 });
    await refusal('not_found', () => end(OPERATOR, { userId: world.ids.next() }));
  });

  it('sets flags, groups, activity and password, and ends sessions if necessary', async () => {
    const set = makeSetUser(chapter.world);
    const { refreshToken } = await chapter.useCases.logIn({ username: 'user', password: 'user-secret', network: '' });
    const staff = await set(OPERATOR, chapter.user.id, { groups: ['Guest'] }, { isStaff: true });
    expect(staff).to.deep.include({ isStaff: true, groups: ['Guest'] });
    const { refreshToken: next } = await chapter.useCases.refreshSession(refreshToken);
    await set(OPERATOR, chapter.user.id, { password: 'a new secret' });
    await refusal('invalid_token', () => chapter.useCases.refreshSession(next));
    expect(passwordIn((await chapter.world.credentials.find(chapter.user.id))?.passwordHash ?? '')).to.equal(
      'a new secret',
    );
    await refusal('last_leader', () => set(OPERATOR, chapter.lead.id, { isActive: false }));
    const forced = await set(OPERATOR, chapter.lead.id, { isActive: false }, {}, { force: true });
    expect(forced).to.include({ isActive: false });
    const hashes = chapter.world.hasher.work.count;
    await refusal('not_found', () => set(OPERATOR, chapter.world.ids.next(), { password: 'a new secret' }));
    expect(chapter.world.hasher.work.count).to.equal(hashes);
    await refusal('validation_failed', () => set(OPERATOR, chapter.user.id, { password: 'short' }));
  });

  it('rejects a password that equals the email after NFKC', async () => {
    const set = makeSetUser(chapter.world);
    const five = await chapter.admit('five', ['User'], { email: 'ﬁve@example.org' });
    const refused = await refusal('validation_failed', () => set(OPERATOR, five.id, { password: 'FIVE@example.org' }));
    expect(faultsOf(refused)).to.deep.equal(['password too_common']);
    expect(chapter.world.hasher.work.count).to.equal(0);
  });

  it('rejects a password that becomes the username while it is hashed', async () => {
    const { hasher, users } = chapter.world;
    const hash = async (password: string) => {
      await changeUser({ users }, chapter.user.id, { username: 'a-new-name' });
      return hasher.hash(password);
    };
    const set = makeSetUser({ ...chapter.world, hasher: { ...hasher, hash } });
    const refused = await refusal('validation_failed', () =>
      set(OPERATOR, chapter.user.id, { password: 'A-new-name' }),
    );
    expect(faultsOf(refused)).to.deep.equal(['password too_common']);
  });

  it('looks up the division of a new user before it checks the fields', async () => {
    const admit = makeCreateUserAsOperator(chapter.world);
    await refusal('not_found', () => admit(OPERATOR, 'no such id', { username: '' }));
    expect(chapter.world.hasher.work.count).to.equal(0);
  });

  it('throws if a repository returns an earlier creation without a key', async () => {
    const prior = { request: '{}', passwordHash: null, user: chapter.user };
    const users = { ...chapter.world.users, create: () => Promise.resolve({ prior }) };
    const admit = makeCreateUserAsOperator({ ...chapter.world, users });
    const fields = { username: 'ada', password: 'a long secret' };
    const error = await admit(OPERATOR, chapter.south.id, fields).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(TypeError);
    expect(String(error)).to.include('without a key');
  });

  it('cannot choose the id of a division', async () => {
    const create = makeCreateDivision(chapter.world);
    const refused = await refusal('validation_failed', () => create(OPERATOR, { name: 'West', id: 'x' }));
    expect(faultsOf(refused)).to.deep.equal(['id read_only']);
  });

  it('sets a birthdate up to today', async () => {
    const set = makeSetUser(chapter.world);
    const refused = await refusal('validation_failed', () =>
      set(OPERATOR, chapter.user.id, { birthdate: '2026-01-16' }),
    );
    expect(refused.faults.map(({ detail }) => detail)).to.deep.equal(['must be from 1900-01-01 to 2026-01-15']);
    expect(await set(OPERATOR, chapter.user.id, { birthdate: '2026-01-15' })).to.include({ birthdate: '2026-01-15' });
  });
});
