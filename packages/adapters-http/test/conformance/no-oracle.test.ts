import type { User } from '@chapter/domain';
import { expect } from 'chai';
import { type ServedChapter, useServedChapter } from '../support/chapter.ts';

const ABSENT = '0190a000-0000-7000-8000-00000000000f';
const NOT_IDS = [...`x 0 -1 null %00 %ff %2e%2e % %zz ' * ${ABSENT}0 {${ABSENT}} %C3%BC`.split(' '), 'a'.repeat(5000)];

describe('An id that is hidden from the caller', () => {
  const chapter = useServedChapter();

  type Probe = (id: string, as: User) => ReturnType<ServedChapter['send']>;
  const headers = { 'x-request-id': 'same' };
  const onUser: Record<string, Probe> = {
    read: (id, as) => chapter.send('GET', `/api/users/${id}/`, { as, headers }),
    'read by HEAD': (id, as) => chapter.send('HEAD', `/api/users/${id}/`, { as, headers }),
    'read conditionally': (id, as) =>
      chapter.send('GET', `/api/users/${id}/`, { as, headers: { ...headers, 'if-none-match': '*' } }),
    changed: (id, as) => chapter.send('PATCH', `/api/users/${id}`, { as, headers, json: { username: 'guest' } }),
    'changed conditionally': (id, as) =>
      chapter.send('PATCH', `/api/users/${id}`, { as, headers: { ...headers, 'if-match': '"0"' }, json: {} }),
    deleted: (id, as) => chapter.send('DELETE', `/api/users/${id}`, { as, headers }),
    'given a password link': (id, as) => chapter.send('POST', `/api/users/${id}/password-links/`, { as, headers }),
  };
  const onDivision: Record<string, Probe> = {
    read: (id, as) => chapter.send('GET', `/api/divisions/${id}/`, { as, headers }),
    changed: (id, as) => chapter.send('PATCH', `/api/divisions/${id}`, { as, headers, json: { name: 'North' } }),
    counted: (id, as) => chapter.send('GET', `/api/divisions/${id}/statistics/?dormant_days=x`, { as, headers }),
    'read for its users': (id, as) => chapter.send('GET', `/api/division/${id}/users/?search=x`, { as, headers }),
  };

  const onSession: Probe = (id, as) => chapter.send('DELETE', `/api/auth/sessions/${id}`, { as, headers });

  const expectSame = async (probe: Probe, as: User, existing: string): Promise<void> => {
    const { date: _, ...expected } = (await probe(ABSENT, as)).headers;
    const { status, text } = await probe(ABSENT, as);
    expect(status).to.equal(404);
    // Ids are read in the same way for all callers.
    const notIds = as === chapter.leader ? NOT_IDS : [];
    for (const id of [existing, existing.toUpperCase(), ...notIds]) {
      const response = await probe(id, as);
      const { date: __, ...found } = response.headers;
      expect({ status: response.status, text: response.text, found }, id).to.deep.equal({
        status,
        text,
        found: expected,
      });
    }
  };

  for (const [description, probe] of Object.entries(onUser)) {
    it(`gets the response of an absent id if a user of another division is ${description}`, async () => {
      const { leader, guest, admin, southLeader } = chapter;
      for (const as of [leader, guest, admin]) await expectSame(probe, as, southLeader.id);
    });

    it(`gets the response of an absent id if a User’s colleague is ${description}`, async () => {
      await expectSame(probe, chapter.user, chapter.guest.id);
      await expectSame(probe, chapter.groupless, chapter.user.id);
    });
  }

  it('gets the response of an absent id if a session of another user, or an ended session, is ended', async () => {
    const { leader, admin, user, world, useCases } = chapter;
    const login = { username: 'user', password: 'user-secret', network: 'test' };
    const sessionIn = async () => (await world.accessTokens.verify((await useCases.logIn(login)).accessToken)).sid;
    const [open, ended] = [await sessionIn(), await sessionIn()];
    await world.sessions.endOne(ended, user.id);
    for (const as of [leader, admin]) await expectSame(onSession, as, open);
    await expectSame(onSession, user, ended);
    expect((await world.sessions.list(user.id)).map(({ id }) => id)).to.include(open);
  });

  for (const [description, probe] of Object.entries(onDivision)) {
    it(`gets the response of an absent id if another division is ${description}`, async () => {
      const { leader, guest, user, south } = chapter;
      for (const as of [leader, guest, user]) await expectSame(probe, as, south.id);
    });
  }
});
