import { expect } from 'chai';
import { type LoggedIn, PASSWORD, type TwoServices, useTwoServices } from '../../../../test-support/two-services.ts';

const TOKENS = '/api/auth/tokens/';
const NEXT = 'a long enough secret';

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

  const ends: [string, (world: TwoServices, session: LoggedIn, id: string) => Promise<number>][] = [
    [
      'a password change by the user',
      async (_, { clients }, id) =>
        (await clients[0]('PATCH', `/api/users/${id}`, { password: NEXT, current_password: PASSWORD })).status,
    ],
    [
      'a deletion',
      async ({ logIn }, _, id) => (await (await logIn('leader')).clients[0]('DELETE', `/api/users/${id}`)).status,
    ],
  ];
  for (const [title, end] of ends) {
    it(`ends with ${title}, like all sessions of the user, at the next request to any instance`, async () => {
      const { createUser, logIn } = world();
      const username = title.replaceAll(/\W/g, '-');
      const id = await createUser(username);
      const [first, second] = [await logIn(username), await logIn(username)];
      // Makes both instances cache the tokens.
      for (const session of [first, second, first]) await expectGood(session);
      expect(await end(world(), first, id)).to.be.oneOf([200, 204]);
      for (const session of [first, second]) await expectOver(session);
    });
  }

  it('ends without other sessions at logout', async () => {
    const { logIn, anonymous } = world();
    const [first, second] = [await logIn('guest'), await logIn('guest')];
    for (const session of [first, second]) await expectGood(session);
    expect((await anonymous[1]('DELETE', TOKENS, { refresh_token: first.refreshToken })).status).to.equal(204);
    await expectOver(first);
    await expectGood(second);
  });

  it('cannot be fixed by an attacker: each login starts a new session', async () => {
    const { logIn, anonymous, newNetwork } = world();
    const planted = await logIn('guest');
    const { sid } = JSON.parse(Buffer.from(planted.accessToken.split('.')[1] ?? '', 'base64url').toString());
    const headers = {
      'X-Forwarded-For': newNetwork(),
      Authorization: `Bearer ${planted.accessToken}`,
      Cookie: `refresh_token=${planted.refreshToken}; sid=${sid}`,
    };
    const credentials = { username: 'user', password: PASSWORD };
    const { body } = await anonymous[0]('POST', '/api/auth/login/', credentials, headers);
    const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1], 'base64url').toString());
    expect(claims.sid).to.not.equal(sid);
    for (const field of ['sid', 'refresh_token', 'access_token', 'jti']) {
      const extra = { ...credentials, [field]: planted.refreshToken };
      expect((await anonymous[0]('POST', '/api/auth/login/', extra, headers)).status).to.equal(422);
    }
    await expectGood(planted);
  });

  it('accepts an access token only for access, and a refresh token only for refreshing', async () => {
    const { logIn, anonymous } = world();
    const { accessToken, refreshToken } = await logIn('guest');
    expect((await anonymous[0]('POST', TOKENS, { refresh_token: accessToken })).status).to.equal(401);
    const headers = { Authorization: `Bearer ${refreshToken}` };
    expect((await anonymous[0]('GET', '/api/info/', undefined, headers)).status).to.equal(401);
  });

  it('is stored as hashes only', async () => {
    const { logIn, sql } = world();
    const { accessToken, refreshToken } = await logIn('guest');
    const { rows } = await sql.query<{ text: string }>(
      'select s::text as text from session s union all select t::text from refresh_token t',
    );
    const stored = rows.map(({ text }) => text).join('\n');
    const hex = Buffer.from(refreshToken, 'base64url').toString('hex');
    for (const secret of [accessToken, refreshToken, hex]) expect(stored).to.not.include(secret);
  });

  it('is not needed by a personal access token, which ends on all instances at once, also by deactivation', async () => {
    const { anonymous, createUser, logIn } = world();
    const id = await createUser('scripted', ['Guest']);
    const { clients } = await logIn('scripted');
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    const create = async () =>
      (await clients[0]('POST', '/api/auth/access-tokens/', { name: 'script', expires_at: expires })).body;
    const [ended, deactivated] = [await create(), await create()];
    const statusesOf = ({ token }: { token: string }): Promise<number[]> =>
      Promise.all(
        anonymous.map(
          async (client) =>
            (await client('GET', '/api/users/', undefined, { Authorization: `Bearer ${token}` })).status,
        ),
      );
    // Both instances could cache the token.
    for (let uses = 0; uses < 2; uses++) expect(await statusesOf(ended)).to.deep.equal([200, 200]);
    await clients[1]('DELETE', `/api/auth/access-tokens/${ended.id}`);
    expect([await statusesOf(ended), await statusesOf(deactivated)]).to.deep.equal([
      [401, 401],
      [200, 200],
    ]);
    const leader = await logIn('leader');
    for (const is_active of [false, true]) {
      await leader.clients[0]('PATCH', `/api/users/${id}`, { is_active });
      expect(await statusesOf(deactivated)).to.deep.equal([401, 401]);
    }
  });

  it('has the current rights of the user, not those in the token', async () => {
    const { createUser, logIn } = world();
    const id = await createUser('promoted', ['Leader']);
    const promoted = await logIn('promoted');
    for (const caller of promoted.clients) expect((await caller('GET', '/api/users/')).status).to.equal(200);
    const leader = await logIn('leader');
    await leader.clients[0]('PATCH', `/api/users/${id}`, { groups: ['User'] });
    for (const caller of promoted.clients) expect((await caller('GET', '/api/users/')).status).to.equal(403);
    await leader.clients[1]('PATCH', `/api/users/${id}`, { groups: ['Guest'] });
    for (const caller of promoted.clients) expect((await caller('GET', '/api/users/')).status).to.equal(200);
  });
});
