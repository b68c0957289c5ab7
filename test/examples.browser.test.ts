import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, SignJWT } from 'jose';
import { makeEventServer } from '../examples/service/server.ts';
import { CHROMIUM, launchChromium, openPage } from '../test-support/chromium.ts';
import { listenOnFreePort, makePageServer } from '../test-support/example-pages.ts';
import { makeFolder } from '../test-support/folders.ts';
import { type ServiceProcess, serveInProcess } from '../test-support/service-process.ts';
import { skip } from '../test-support/skip.ts';

const PASSWORD = 'chapter-demo';

describe('The examples, with a service and its demo data:', () => {
  const dataDir = makeFolder();
  const built = makeFolder();
  const pages = makePageServer(built, () => service.url);
  const events: Server[] = [];
  let pageUrl: string;
  let service: ServiceProcess;

  before(async () => {
    pageUrl = await listenOnFreePort(pages);
    service = await serveInProcess({ DATA_DIR: dataDir, CORS_ORIGINS: pageUrl });
  });
  after(async () => {
    await service?.end();
    for (const server of [pages, ...events]) server.close();
  });

  const logIn = async (username: string): Promise<string> => {
    const response = await fetch(`${service.url}/api/auth/login/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username, password: PASSWORD }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  };

  describe('the service of events', () => {
    const startEvents = async (audience: string, chapterUrl = service.url): Promise<string> => {
      const server = makeEventServer({ chapterUrl, issuer: 'chapter-membership-service', audience });
      events.push(server);
      return listenOnFreePort(server);
    };
    const send = async (url: string, token?: string, method = 'GET') => {
      const response = await fetch(url, { method, headers: token ? { Authorization: `Bearer ${token}` } : {} });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    };

    it('decides by the verified token and its own policy', async () => {
      const base = `${await startEvents('chapter-membership-service')}/events/`;
      const [leader, guest, elsewhere] = await Promise.all(['leader', 'guest', 'leader.south'].map(logIn));

      expect(await send(`${base}?name=Party`, guest, 'POST')).to.deep.equal({
        status: 403,
        body: { detail: 'only a Leader of the division may do this' },
      });
      expect(await send(base, leader, 'POST')).to.include({ status: 422 });
      const { status, body: event } = await send(`${base}?name=Party`, leader, 'POST');
      expect([status, event.name]).to.deep.equal([201, 'Party']);

      expect(await send(base, guest)).to.deep.equal({ status: 200, body: [event] });
      expect(await send(base, elsewhere)).to.deep.equal({ status: 200, body: [] });
      expect(await send(base + event.id, guest, 'DELETE')).to.include({ status: 403 });
      expect(await send(base + event.id, elsewhere, 'DELETE')).to.deep.equal({ status: 404, body: null });
      expect(await send(base + event.id, leader, 'DELETE')).to.deep.equal({ status: 204, body: null });
      expect(await send(base, leader)).to.deep.equal({ status: 200, body: [] });
    });

    /** Signs a token with the key of the service. `parts` replace parts of a valid one. */
    const sign = async (parts: { typ?: string; iss?: string; aud?: string; exp?: number }): Promise<string> => {
      const { keys } = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')) as { keys: [JWK] };
      const { typ = 'at+jwt', ...claims } = parts;
      const { kid } = decodeProtectedHeader(await logIn('leader'));
      const valid = decodeJwt(await logIn('leader'));
      const header = { alg: 'EdDSA', typ, ...(kid === undefined ? {} : { kid }) };
      return new SignJWT({ ...valid, ...claims }).setProtectedHeader(header).sign(await importJWK(keys[0], 'EdDSA'));
    };
    const now = Math.floor(Date.now() / 1000);

    it('accepts a token that has all parts', async () => {
      const base = `${await startEvents('chapter-membership-service')}/events/`;
      expect(await send(base, await sign({}))).to.include({ status: 200 });
    });

    for (const [fault, parts] of [
      ['of another type', { typ: 'JWT' }],
      ['of another issuer', { iss: 'another-service' }],
      ['for another audience', { aud: 'another-service' }],
      ['that has expired', { exp: now - 60 }],
    ] as const) {
      it(`rejects a token ${fault}`, async () => {
        const base = `${await startEvents('chapter-membership-service')}/events/`;
        expect(await send(base, await sign(parts))).to.deep.equal({ status: 401, body: null });
      });
    }

    it('rejects requests without a token and with a changed one', async () => {
      const [header = '', claims = '', signature = ''] = (await logIn('leader')).split('.');
      const changed = Buffer.from(claims, 'base64url').toString().replace('"Leader"', '"Guest"');
      const base = `${await startEvents('chapter-membership-service')}/events/`;
      const statuses = await Promise.all([
        send(base),
        send(base, [header, Buffer.from(changed).toString('base64url'), signature].join('.')),
      ]);
      expect(statuses.map(({ status }) => status)).to.deep.equal([401, 401]);
    });

    it('returns 503 while the key set cannot be fetched', async () => {
      const base = `${await startEvents('chapter-membership-service', pageUrl)}/events/`;
      expect(await send(base, await logIn('leader'))).to.include({ status: 503 });
    });
  });

  describe('members.html', () => {
    before(function () {
      if (!CHROMIUM) skip(this, 'there is no Chromium');
      const build = ['-p', 'packages/domain/tsconfig.build.json', '--singleThreaded', '--outDir', built];
      const { status, stdout } = spawnSync('tsc', [...build, '--tsBuildInfoFile', join(built, 'info')], {
        encoding: 'utf8',
      });
      expect(status, stdout).to.equal(0);
    });

    it('accepts a password only for the services on its list', async () => {
      const browser = await launchChromium();
      try {
        const page = await openPage(browser);
        const requested: string[] = [];
        page.on('request', (request) => requested.push(request.url()));
        const open = (named: string) => page.goto(`${pageUrl}/members.html?service=${encodeURIComponent(named)}`);
        for (const listed of [service.url, `${service.url}/`, pageUrl]) {
          await open(listed);
          await page.getByLabel('Password').waitFor();
        }
        for (const other of [
          'https://evil.example',
          `${service.url}@evil.example`,
          `${service.url}.evil.example`,
          '',
          'x',
        ]) {
          await open(other);
          await page.getByText(`This page sends passwords only to ${service.url}, `).waitFor();
          expect(await page.locator('form, input').count(), other).to.equal(0);
        }
        expect(requested.filter((url) => !url.startsWith(`${pageUrl}/`))).to.deep.equal([]);
      } finally {
        await browser.close();
      }
    });

    it('shows each caller the buttons that the policy allows, and they work', async () => {
      const browser = await launchChromium();
      try {
        const page = await openPage(browser, { viewport: { width: 360, height: 740 } });
        const failures: string[] = [];
        page.on('pageerror', ({ message }) => failures.push(message));
        page.on('dialog', (dialog) => void dialog.accept('Una'));
        await page.goto(`${pageUrl}/members.html`);
        const show = async (username: string): Promise<void> => {
          await page.getByLabel('Username').fill(username);
          await page.getByLabel('Password').fill(PASSWORD);
          await page.getByRole('button', { name: 'Log in' }).click();
        };
        const row = (name: RegExp) => page.getByRole('row', { name });

        await show('leader');
        await row(/^user /)
          .getByRole('button', { name: 'Rename' })
          .click();
        await row(/^user Una Ude/).waitFor();
        expect(await page.getByRole('button', { name: 'Delete' }).count()).to.equal(4);
        // With the stylesheet of the service's own pages, the table fits a phone.
        expect(await page.evaluate('getComputedStyle(document.querySelector("main")).maxWidth')).to.equal('576px');
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360);
        await row(/^admin /)
          .getByRole('button', { name: 'Delete' })
          .click();
        await row(/^admin /).waitFor({ state: 'detached' });
        expect(await page.getByRole('button', { name: 'Delete' }).count()).to.equal(3);

        await show('guest');
        await page.getByRole('button', { name: 'Delete' }).first().waitFor({ state: 'detached' });
        await row(/^guest /)
          .getByRole('button', { name: 'Rename' })
          .waitFor();
        expect(await page.getByRole('button', { name: 'Rename' }).count()).to.equal(1);

        await show('user');
        await page.getByText('You may not see the members of your division.').waitFor();
        expect(await page.getByRole('row').count()).to.equal(0);
        expect(failures).to.deep.equal([]);
      } finally {
        await browser.close();
      }
    });
  });
});
