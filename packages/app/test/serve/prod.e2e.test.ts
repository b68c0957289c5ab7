import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { json as readJson } from 'node:stream/consumers';
import { expect } from 'chai';
import { accessToken, clientOf } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import {
  type FailedStart,
  type ServiceProcess,
  serveInProcess,
  startServiceProcess,
} from '../../../../test-support/service-process.ts';
import { call, makeChapter } from '../cli/call.ts';

describe('The service in PROD', () => {
  const database = useTestDatabase();
  const folder = makeFolder();
  const keysFile = join(folder, 'keys.json');
  const settings = (more: Record<string, string> = {}) => ({
    CHAPTER_ENV: 'PROD',
    DATABASE_URL: database.url,
    JWT_KEYS_FILE: keysFile,
    CORS_ORIGINS: 'https://members.example.org',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    ...more,
  });
  const { json } = makeChapter(settings);
  before(async () => writeFileSync(keysFile, (await call(['keys', 'generate'])).out, { mode: 0o600 }));

  it('does not serve on an older schema, and says what to do', async () => {
    // Simulates background work, such as looking up the public address.
    const NODE_OPTIONS = '--import=data:text/javascript,setInterval(()=>{},1000)';
    const { status, stderr } = (await startServiceProcess(settings({ NODE_OPTIONS }))) as FailedStart;
    expect(status).to.equal(1);
    expect(stderr).to.match(/^[^\n]*older[^\n]*chapter migrate[^\n]*\n$/);
  });

  describe('in two instances that start at once', () => {
    const started: ServiceProcess[] = [];
    const usual = (): ServiceProcess => started[0] ?? expect.fail();
    /** Two workers. */
    const withWorkers = (): ServiceProcess => started[1] ?? expect.fail();

    before(async () => {
      const differences = [
        { PUBLIC_URL: 'https://members.example.org/', SCRYPT_LOG_N: '14', SCRYPT_P: '5' },
        { WORKERS: '2', PASSWORD_MIN_LENGTH: '15' },
      ];
      const all = differences.map((different) => serveInProcess(settings({ MIGRATE_ON_START: 'true', ...different })));
      started.push(...(await Promise.all(all)));
    });
    after(() => Promise.all(started.map(({ end }) => end())));

    it('warns once if password hashes are weaker than the defaults', () => {
      expect(withWorkers().output().split('SCRYPT_LOG_N')).to.have.length(2);
      expect(usual().output()).not.to.include('SCRYPT');
    });

    before('store a Leader', async () => {
      await json('divisions create --name North');
      const admit = 'users create --division North --username ada --group Leader --password-stdin';
      await json(admit, 'a long enough secret');
    });

    it('makes password links by its settings, not by the Host header of a request, and relative ones without a setting', async () => {
      const { id } = await json('users create --division North --username bob --link');
      const path = `/api/users/${id}/password-links/`;
      const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' };
      for (const [service, page, minLength] of [
        [usual(), 'https://members.example.org/password/', 8],
        [withWorkers(), '/password/', 15],
      ] as const) {
        const Authorization = `Bearer ${await accessToken(service.url, 'ada', 'a long enough secret')}`;
        // Unlike this, fetch replaces the Host header.
        const sent = request(service.url + path, { method: 'POST', headers: { ...forged, Authorization } }).end();
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        const body = (await readJson(response)) as { url: string; token: string };
        expect(body.url).to.equal(`${page}#username=bob&token=${body.token}`);
        const shown = await (await fetch(`${service.url}/password/`)).text();
        expect(shown).to.include(`At least ${minLength} characters.`);
      }
    });

    it('sends HSTS, and allows exact origins only', async () => {
      const { url } = usual();
      const send = (origin: string) => fetch(`${url}/api/auth/groups/`, { headers: { Origin: origin } });
      const known = await send('https://members.example.org');
      expect(known.headers.get('strict-transport-security')).to.match(/^max-age=\d{8,}/);
      expect(known.headers.get('access-control-allow-origin')).to.equal('https://members.example.org');
      const foreign = await send('http://members.example.org');
      expect(foreign.headers.get('access-control-allow-origin')).to.equal(null);
      expect((await fetch(`${url}/api/docs/`)).status).to.equal(200);
      const { body } = await clientOf(url)('GET', '/api/openapi/');
      expect(body.servers).to.deep.equal([{ url: 'https://members.example.org' }]);
      expect(body.info.description).not.to.include('Demo accounts');
    });

    it('ends with status 0 at SIGTERM', async () => {
      for (const end of await Promise.all(started.map((one) => one.end())))
        expect(end).to.deep.equal({ status: 0, signal: null });
    });
  });

  it('still accepts connections in the shutdown delay, but is not ready', async () => {
    const port = await freePort();
    const delay = { SHUTDOWN_DELAY: '300', OPS_PORT: String(port), MIGRATE_ON_START: 'true' };
    const service = await serveInProcess(settings(delay));
    const ended = service.end();
    await service.printed('stopping');
    const statusAt = async (url: string): Promise<number> =>
      (await fetch(url, { headers: { Connection: 'close' } })).status;
    expect(await statusAt(`http://127.0.0.1:${port}/readyz`)).to.equal(503);
    expect(await statusAt(`${service.url}/api/auth/keys/`)).to.equal(200);
    await service.end('SIGINT');
    expect(await ended).to.deep.equal({ status: 1, signal: null });
  });
});
