import { makeUseCases } from '@chapter/domain';
import { expect } from 'chai';
import { acting, type Chapter, faultsOf, makeChapter, refusal } from './setup.ts';

const FOURTEEN = 'correct horse!';
const FIFTEEN = 'correct horse!!';

describe('A service that requires new passwords of 15 characters', () => {
  let chapter: Chapter;
  let writes: Readonly<Record<string, (password: string) => Promise<unknown>>>;
  beforeEach(async () => {
    chapter = await makeChapter();
    const ports = { ...chapter.world, passwordMinLength: 15 };
    const { createUser, updateUser } = makeUseCases(ports);
    const leader = acting(chapter.lead);
    writes = {
      createUser: (password) => createUser(leader, () => ({ fields: { username: 'ada', password } })),
      updateUser: (password) => updateUser(leader, chapter.user.id, () => ({ fields: { password } })),
    };
  });

  for (const write of ['createUser', 'updateUser']) {
    it(`rejects 14 characters and accepts 15 in ${write}`, async () => {
      const refused = await refusal('validation_failed', () => writes[write]?.(FOURTEEN));
      expect(faultsOf(refused)).to.deep.equal(['password too_short']);
      expect(refused.faults[0]?.detail).to.equal('must have at least 15 characters');
      expect(await writes[write]?.(FIFTEEN)).to.have.property('username');
    });
  }

  it('still lets users log in with shorter passwords', async () => {
    const logIn = makeUseCases({ ...chapter.world, passwordMinLength: 15 }).logIn;
    expect(await logIn({ username: 'user', password: 'user-secret', network: '192.0.2.0/24' })).to.have.property(
      'accessToken',
    );
  });
});
