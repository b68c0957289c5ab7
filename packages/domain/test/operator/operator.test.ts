import { makeAdmitUser, makeCreateDivision, makeSetUser, OPERATOR } from '@chapter/domain';
import { expect } from 'chai';
import { type Chapter, faultsOf, makeChapter, refusal } from '../use-cases/setup.ts';

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
      'logo invalid_format',
      'name required',
    ]);
    await refusal('name_taken', () => create(OPERATOR, { name: 'WEST' }));
  });

  it('admits users to any division, Administrators too', async () => {
    const admit = makeAdmitUser(chapter.world);
    const fields = { username: 'root', password: 'a long secret', groups: ['Leader'] };
    const root = await admit(OPERATOR, chapter.south.id, fields, { isSuperuser: true });
    expect(root).to.deep.include({ isSuperuser: true, isStaff: false, groups: ['Leader'] });
    expect(root.division.name).to.equal('South');
    await refusal('not_found', () => admit(OPERATOR, 'no such id', fields));
    await refusal('validation_failed', () => admit(OPERATOR, chapter.south.id, { username: 'x' }));
  });

  it('sets flags, groups, activity and password by username, and ends sessions where that must be', async () => {
    const set = makeSetUser(chapter.world);
    const { refreshToken } = await chapter.useCases.logIn({ username: 'user', password: 'user-secret', network: '' });
    const staff = await set(OPERATOR, 'USER', { groups: ['Guest'] }, { isStaff: true });
    expect(staff).to.deep.include({ isStaff: true, groups: ['Guest'] });
    const { refreshToken: next } = await chapter.useCases.refreshSession(refreshToken);
    await set(OPERATOR, 'user', { password: 'a new secret' });
    await refusal('invalid_token', () => chapter.useCases.refreshSession(next));
    expect(await set(OPERATOR, 'lead', { isActive: false })).to.include({ isActive: false });
    await refusal('not_found', () => set(OPERATOR, 'nobody', {}));
    await refusal('validation_failed', () => set(OPERATOR, 'user', { password: 'short' }));
  });

  it('ends the sessions of a user who is deactivated, also for the time after reactivation', async () => {
    const set = makeSetUser(chapter.world);
    const { refreshToken } = await chapter.useCases.logIn({ username: 'user', password: 'user-secret', network: '' });
    await set(OPERATOR, 'user', { isActive: false });
    await set(OPERATOR, 'user', { isActive: true });
    await refusal('invalid_token', () => chapter.useCases.refreshSession(refreshToken));
  });

  it('refuses a password that equals the email after NFKC', async () => {
    const set = makeSetUser(chapter.world);
    await chapter.admit('five', ['User'], { email: 'ﬁve@example.org' });
    const refused = await refusal('validation_failed', () => set(OPERATOR, 'five', { password: 'FIVE@example.org' }));
    expect(faultsOf(refused)).to.deep.equal(['password too_common']);
  });
});
