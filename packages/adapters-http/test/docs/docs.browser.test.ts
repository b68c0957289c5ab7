import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Browser, chromium, type Page } from 'playwright-core';
import { skip } from '../../../../test-support/skip.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM ?? '', args: ['--no-sandbox', '--disable-dev-shm-usage'] });

/** An operation of Swagger UI, opened to be tried out. */
const open = async (page: Page, tag: string, operation: string) => {
  const block = page.locator(`#operations-${tag}-${operation}`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.try-out__btn').click();
  return {
    execute: async (body?: object): Promise<{ status: string; text: string }> => {
      if (body) await block.locator('textarea.body-param__text').fill(JSON.stringify(body));
      await block.locator('.execute').click();
      const answer = block.locator('.live-responses-table');
      await answer.waitFor();
      return {
        status: ((await answer.locator('tbody .response-col_status').first().textContent()) ?? '').trim().slice(0, 3),
        text: (await answer.locator('tbody .response-col_description').first().textContent()) ?? '',
      };
    },
    close: () => block.locator('.opblock-summary-control').click(),
  };
};

const authorize = async (page: Page, token: string): Promise<void> => {
  await page.locator('.scheme-container .authorize').click();
  const logout = page.locator('.modal-ux .auth-btn-wrapper button', { hasText: 'Logout' });
  if (await logout.isVisible()) await logout.click();
  await page.locator('.modal-ux input').fill(token);
  await page.locator('.modal-ux .auth-btn-wrapper .authorize').click();
  await page.locator('.modal-ux .btn-done').click();
};

describe('In a browser', () => {
  let chapter: ServedChapter;
  let elsewhere: Server;
  let browser: Browser;
  let base: string;
  const pageAt = (host: string) => `http://${host}:${(elsewhere.address() as AddressInfo).port}`;
  before(async function () {
    if (!CHROMIUM) skip(this, 'there is no Chromium');
    elsewhere = createServer((_, response) => response.setHeader('Content-Type', 'text/html').end('<p>page</p>'));
    await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done));
    chapter = await makeServedChapter({ corsOrigins: [pageAt('127.0.0.1')] });
    base = `http://127.0.0.1:${chapter.port}`;
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await chapter?.close();
    elsewhere?.close();
  });

  it('Swagger UI logs in, authorizes, lists, creates, and shows a Guest the refusal, asking no other host', async () => {
    const page = await browser.newPage();
    const noise: string[] = [];
    page.on('console', (message) => {
      // What Chromium itself says of an answer that was expected to refuse.
      if (message.type() === 'error' && !message.text().includes('status of 403')) noise.push(message.text());
    });
    page.on('pageerror', ({ message }) => noise.push(message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${base}/`) && !request.url().startsWith('data:')) noise.push(request.url());
    });
    await page.goto(`${base}/api/docs/`);
    await page.getByText('OAS 3.1').waitFor();

    const logIn = await open(page, 'Authentication', 'logIn');
    const logged = await logIn.execute({ username: 'leader', password: 'leader-secret' });
    expect(logged.status).to.equal('200');
    await authorize(page, /"access_token": "([^"]+)"/.exec(logged.text)?.[1] ?? '');

    const listUsers = await open(page, 'Users', 'listUsers');
    expect((await listUsers.execute()).text).to.include('"username": "guest"');
    const createUser = await open(page, 'Users', 'createUser');
    const body = { username: 'from-the-page', password: 'correct horse battery' };
    expect(await createUser.execute(body)).to.include({ status: '201' });
    expect((await chapter.get('/api/users/?username=from-the-page', chapter.leader)).body.results).to.have.lengthOf(1);

    await authorize(page, await chapter.tokenOf(chapter.guest));
    await page.locator('#operations-Users-createUser .btn-clear').click();
    const refused = await createUser.execute({ ...body, username: 'another' });
    expect(refused.status).to.equal('403');
    expect(refused.text).to.include('only a Leader of the division may do this');
    expect(noise).to.deep.equal([]);
    await page.close();
  });

  it('a page of an allowed origin reads answers and refusals, one of another origin does not', async () => {
    const page = await browser.newPage();
    const token = await chapter.tokenOf(chapter.leader);
    const ask = (path: string) =>
      page.evaluate(
        async ({ url, authorization }) => {
          try {
            const response = await fetch(url, { headers: { authorization, 'if-none-match': '"x"' } });
            return {
              status: response.status,
              etag: response.headers.get('etag'),
              id: response.headers.get('x-request-id'),
            };
          } catch (error) {
            return String(error);
          }
        },
        { url: `${base}${path}`, authorization: `Bearer ${token}` },
      );
    const own = `/api/users/${chapter.leader.id}/`;
    await page.goto(pageAt('127.0.0.1'));
    expect(await ask(own))
      .to.include({ status: 200 })
      .and.to.have.property('etag')
      .that.matches(/^"/);
    expect(await ask('/api/nowhere')).to.include({ status: 404 });
    await page.goto(pageAt('localhost'));
    expect(await ask(own)).to.include('Failed to fetch');
    await page.close();
  });
});
