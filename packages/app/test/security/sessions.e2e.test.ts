import { expect } from 'chai';
import { type LoggedIn, PASSWORD, useTwoServices } from '../../../../test-support/two-services.ts';

const TOKENS = '/api/auth/tokens/';
const NEXT = 'a long enough secret';

const sessionOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid;

describe('A session of two services on one database', () => {
  const world = useTwoServices();

  const expectOver = async ({ clients, refreshToken }: LoggedIn): Promise<void> => {
    for (const [instance, caller] of clients.entries()) {
      const { status, body } = await caller('GET', '/api/info/');
      expect([status, body.code], `instance ${instance}`).to.deep.equal([401, 'invalid_token']);
      const refreshed = await world().anonymous[instance]?.('POST', TOKENS, { refresh_token: refreshToken });
      expect([refreshed?.status, refreshed?.body.code]).to.deep.equal([401, 'invalid_token']);
    }
  };

  const expectGood = async ({ clients }: LoggedIn): Promise<void> => {
    for (const caller of clients) expect((await caller('GET', '/api/info/')).status).to.equal(200);
  };

  it('ends with a password change by the user, like all sessions of the user, at the next request to any instance', async () => {
    const { createUser, logIn } = world();
    const id = await createUser('changing');
    const [first, second] = [await logIn('changing'), await logIn('changing')];
    // Makes both instances cache the tokens.
    for (const session of [first, second, first]) await expectGood(session);
    const change = { password: NEXT, current_password: PASSWORD };
    expect((await first.clients[0]('PATCH', `/api/users/${id}`, change)).status).to.equal(200);
    for (const session of [first, second]) await expectOver(session);
  });

  it('cannot be fixed by an attacker: each login starts a new session', async () => {
    const { logIn, anonymous } = world();
    const planted = await logIn('guest');
    const sid = sessionOf(planted.accessToken);
    const headers = {
      'X-Forwarded-For': '10.1.0.7',
      Authorization: `Bearer ${planted.accessToken}`,
      Cookie: `refresh_token=${planted.refreshToken}; sid=${sid}`,
    };
    const { body } = await anonymous[0]('POST', '/api/auth/login/', { username: 'user', password: PASSWORD }, headers);
    expect(sessionOf(body.access_token)).to.not.equal(sid);
    await expectGood(planted);
  });

  it('accepts an access token only for access, and a refresh token only for refreshing', async () => {
    const { logIn, anonymous } = world();
    const { accessToken, refreshToken } = await logIn('guest');
    expect((await anonymous[0]('POST', TOKENS, { refresh_token: accessToken })).status).to.equal(401);
    const headers = { Authorization: `Bearer ${refreshToken}` };
    expect((await anonymous[0]('GET', '/api/info/', undefined, headers)).status).to.equal(401);
  });

  it('is not needed by a personal access token, which ends on all instances at once', async () => {
    const { anonymous, logIn } = world();
    const { clients } = await logIn('guest');
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    const { body } = await clients[0]('POST', '/api/auth/access-tokens/', { name: 'script', expires_at: expires });
    const Authorization = `Bearer ${body.token}`;
    const statuses = async (): Promise<number[]> => {
      const responses = anonymous.map((client) => client('GET', '/api/users/', undefined, { Authorization }));
      return (await Promise.all(responses)).map(({ status }) => status);
    };
    // Both instances could cache the token.
    for (let uses = 0; uses < 2; uses++) expect(await statuses()).to.deep.equal([200, 200]);
    await clients[1]('DELETE', `/api/auth/access-tokens/${body.id}`);
    expect(await statuses()).to.deep.equal([401, 401]);
  });
});
