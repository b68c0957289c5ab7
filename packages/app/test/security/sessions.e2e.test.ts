import { expect } from 'chai';
import { type LoggedIn, PASSWORD, useTwoServices } from '../../../../test-support/two-services.ts';

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

  it('accepts an access token only for access, and a refresh token only for refreshing', async () => {
    const { logIn, anonymous } = world();
    const { accessToken, refreshToken } = await logIn('guest');
    expect((await anonymous[0]('POST', TOKENS, { refresh_token: accessToken })).status).to.equal(401);
    const headers = { Authorization: `Bearer ${refreshToken}` };
    expect((await anonymous[0]('GET', '/api/info/', undefined, headers)).status).to.equal(401);
  });
});
