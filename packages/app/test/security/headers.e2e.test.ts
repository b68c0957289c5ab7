import { connect } from 'node:net';
import { expect } from 'chai';
import { type LoggedIn, useTwoServices } from '../../../../test-support/two-services.ts';

describe('A token that is not sent in exactly one header', () => {
  const world = useTwoServices();
  let leader: LoggedIn;
  before(async () => {
    leader = await world().logIn('leader');
  });

  /** Sends the lines of a request unchanged and reads the whole response. */
  const raw = (lines: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = '';
      const { hostname, port } = new URL(world().services[0].url);
      const socket = connect(Number(port), hostname, () => socket.write(lines.join('\r\n')));
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
  const get = (...headers: readonly string[]) =>
    raw(['GET /api/users/ HTTP/1.1', 'Host: a', 'Connection: close', ...headers, '', '']);
  const statusOf = (response: string): number => Number(response.split(' ')[1]);

  it('is accepted in a single header', async () => {
    expect(statusOf(await get(`Authorization: Bearer ${leader.accessToken}`))).to.equal(200);
    expect(statusOf(await get(`authorization:bearer   ${leader.accessToken}`))).to.equal(200);
  });

  it('is rejected with 400 if there are two headers, equal or not, in any order or case', async () => {
    const good = `Authorization: Bearer ${leader.accessToken}`;
    for (const other of [good, 'authorization: Bearer x', 'AUTHORIZATION: Basic YTpi', 'Authorization:']) {
      for (const headers of [
        [good, other],
        [other, good],
      ]) {
        const response = await get(...headers);
        expect(statusOf(response), headers.join()).to.equal(400);
        expect(response)
          .to.match(/^connection: close/im)
          .and.not.include('"results"');
      }
    }
  });

  it('is rejected in a list of two, in a folded line, with text after it, or with another scheme', async () => {
    const { accessToken } = leader;
    for (const header of [
      `Authorization: Bearer ${accessToken}, Bearer ${accessToken}`,
      `Authorization: Bearer ${accessToken} x`,
      `Authorization: Bearer Bearer ${accessToken}`,
      `Authorization: Token ${accessToken}`,
      `Authorization: ${accessToken}`,
      `Proxy-Authorization: Bearer ${accessToken}`,
      `X-Authorization: Bearer ${accessToken}`,
    ]) {
      expect(statusOf(await get(header)), header.slice(0, 30)).to.equal(401);
    }
    expect(statusOf(await get('Authorization: Bearer', ` ${accessToken}`))).to.be.oneOf([400, 401]);
  });

  it('is ignored in the query, in a cookie, in a form and in a JSON body', async () => {
    const [anonymous] = world().anonymous;
    const { accessToken } = leader;
    for (const name of ['access_token', 'token', 'authorization', 'bearer', 'jwt']) {
      expect((await anonymous('GET', `/api/users/?${name}=${accessToken}`)).status).to.equal(401);
      const cookie = { Cookie: `${name}=${accessToken}` };
      expect((await anonymous('GET', '/api/users/', undefined, cookie)).status).to.equal(401);
      expect((await anonymous('POST', '/api/users/', { [name]: accessToken })).status).to.equal(401);
    }
    const form = `access_token=${accessToken}`;
    const response = await raw([
      'POST /api/users/ HTTP/1.1',
      'Host: a',
      'Connection: close',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
      '',
      form,
    ]);
    expect(statusOf(response)).to.equal(401);
  });
});
