import { join } from 'node:path';
import { expect } from 'chai';
import { decodeProtectedHeader } from 'jose';
import { clientOf } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';
import { DEMO_PASSWORD } from '../../src/database/demo-data.ts';
import { call } from '../cli/call.ts';

describe('Two services on one database', () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  const keysFile = join(dataDir, 'keys.json');
  const services: ServiceProcess[] = [];

  before('start two services, of which the first creates the keys', async () => {
    for (const _ of [0, 1]) services.push(await serveInProcess({ DATABASE_URL: database.url, DATA_DIR: dataDir }));
  });
  after(() => Promise.all(services.map(({ end }) => end())));

  const clientAt = (at: number, token?: string) => clientOf(services[at]?.url ?? '', token);
  const logIn = async (username: string) =>
    (await clientAt(0)('POST', '/api/auth/login/', { username, password: DEMO_PASSWORD })).body;

  it('end all sessions of a user who changes the password, at the next request, although they have cached the tokens', async () => {
    const tokens = [await logIn('leader'), await logIn('leader')].map(({ access_token: token }) => token);
    const statuses = () =>
      Promise.all(
        [0, 1].flatMap((at) => tokens.map(async (one) => (await clientAt(at, one)('GET', '/api/info/')).status)),
      );
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
    const { id } = (await clientAt(0, tokens[0])('GET', '/api/info/')).body;
    const change = { password: 'a long enough secret', current_password: DEMO_PASSWORD };
    expect((await clientAt(0, tokens[0])('PATCH', `/api/users/${id}`, change)).status).to.equal(200);
    expect(await statuses()).to.deep.equal([401, 401, 401, 401]);
  });

  it('accept the tokens of each other before and after a rotation of the keys', async () => {
    const { access_token: old } = await logIn('guest');
    const { out } = await call(['keys', 'rotate', '--json', '--file', keysFile]);
    const { signs } = JSON.parse(out) as { signs: string };
    const kids = async () =>
      (await clientAt(0)('GET', '/api/auth/keys/')).body.keys.map(({ kid }: { kid: string }) => kid);
    while (!(await kids()).includes(signs));
    const { access_token: fresh } = await logIn('guest');
    expect(decodeProtectedHeader(fresh).kid).to.equal(signs);
    for (const token of [old, fresh]) expect((await clientAt(1, token)('GET', '/api/info/')).status).to.equal(200);
  });
});
