import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { CHROMIUM, collectFaults, launchChromium, openPage, overflowOf } from '../../../../test-support/chromium.ts';
import { skip } from '../../../../test-support/skip.ts';
import { exampleOf, UserId } from '../../src/schemas/fields.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

/** An operation on the page. Its functions click, and type only a body that differs from the example. */
const operationOn = (page: Page, tag: string, name: string) => {
  const block = page.locator(`#operations-${tag}-${name}`);
  const answer = block.locator('.live-responses-table');
  return {
    block,
    open: () => block.locator('.opblock-summary-control').click(),
    execute: async (body?: object): Promise<{ status: string; text: string }> => {
      if (body) await block.locator('textarea.body-param__text').fill(JSON.stringify(body));
      await block.locator('.execute').click();
      await answer.waitFor();
      return {
        status: ((await answer.locator('tbody .response-col_status').first().textContent()) ?? '').trim().slice(0, 3),
        text: (await answer.locator('tbody .response-col_description').first().textContent()) ?? '',
      };
    },
  };
};

/** Pixels. Without folding, the list of users has 16,065. */
const MAX_OPERATION_HEIGHT = 2500;

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
    const demo = async () => ({ usernames: ['leader', 'guest'], password: 'leader-secret' });
    const docs = { publicUrl: () => 'https://members.example.org', demo, persistsLogin: true };
    chapter = await makeServedChapter({ corsOrigins: [pageAt('127.0.0.1')], docs });
    await chapter.admit('example', ['User'], { id: String(exampleOf(UserId)) });
    base = `http://127.0.0.1:${chapter.port}`;
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await chapter?.close();
    elsewhere?.close();
  });

  /** Logs in and lists the users by four clicks on a new page, then clears the response. */
  const listInFourClicks = async (page: Page) => {
    await page.goto(`${base}/api/docs/`);
    const logIn = operationOn(page, 'Authentication', 'logIn');
    const listUsers = operationOn(page, 'Users', 'listUsers');
    await logIn.open();
    expect(await logIn.execute()).to.include({ status: '200' });
    await listUsers.open();
    const { status, text } = await listUsers.execute();
    expect(status).to.equal('200');
    expect(text).to.include('"username": "guest"');
    expect(await overflowOf(page)).to.equal(0);
    await listUsers.block.locator('.btn-clear').click();
    expect((await listUsers.block.boundingBox())?.height).to.be.below(MAX_OPERATION_HEIGHT);
    return listUsers;
  };

  it('the documentation on a phone lists users after four clicks, without typing, and fits its width', async () => {
    const page = await openPage(browser, { viewport: { width: 390, height: 844 } });
    const faults = collectFaults(page, base);
    const { block } = await listInFourClicks(page);
    await block.locator('.folded-parameters summary').click();
    await block.locator('[data-param-name=username__istartswith] input').waitFor();
    expect(await overflowOf(page)).to.equal(0);
    expect(faults).to.deep.equal([]);
    await page.close();
  });

  describe('the documentation on a desktop', () => {
    let page: Page;
    let faults: readonly string[];
    before(async () => {
      page = await openPage(browser, { viewport: { width: 1100, height: 844 } });
      // One test expects a refusal.
      faults = collectFaults(page, base, 'status of 403');
    });
    after(() => page?.close());
    // Each test goes on where the one before has left the page, because to load it takes longest.
    afterEach(() => expect(faults).to.deep.equal([]));

    it('lists users after four clicks, without typing, and filters after a fifth', async () => {
      const { block, execute } = await listInFourClicks(page);
      const filter = block.locator('[data-param-name=username__istartswith] input');
      expect(await filter.isVisible()).to.equal(false);
      await block.locator('.folded-parameters summary').click();
      await filter.fill('gue');
      const names = await block
        .locator('tr[data-param-name]')
        .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-param-name')));
      expect(names.slice(0, 6)).to.deep.equal(['search', 'ordering', 'page_size', 'cursor', 'count', 'spreadsheet']);
      expect(names.at(-1)).to.equal('X-Request-Id');
      expect((await execute()).text)
        .to.include('"username": "guest"')
        .and.not.to.include('"username": "leader"');
    });

    it('keeps the login across a reload, and has ids that exist', async () => {
      await page.reload();
      const getUser = operationOn(page, 'Users', 'getUser');
      await getUser.open();
      expect((await getUser.execute()).text).to.include('"username": "example"');
    });

    it('requests the list as CSV if the reader chooses it, because it sends no default values', async () => {
      // The reload has opened the operation, whose name is in the address.
      const listUsers = operationOn(page, 'Users', 'listUsers');
      await listUsers.block.locator('.responses-wrapper select.content-type').selectOption('text/csv');
      const requested = page.waitForRequest(`${base}/api/users/**`);
      expect(await listUsers.execute()).to.include({ status: '200' });
      expect((await requested).url()).to.equal(`${base}/api/users/`);
      expect(await listUsers.block.locator('[data-param-name=page_size]').textContent()).to.include('Default: 50.');
    });

    it('creates a user, and shows a Guest the refusal', async () => {
      const createUser = operationOn(page, 'Users', 'createUser');
      await createUser.open();
      const body = { username: 'from-the-page', password: 'correct horse battery' };
      expect(await createUser.execute(body)).to.include({ status: '201' });
      expect((await chapter.get('/api/users/?username=from-the-page', chapter.leader)).body.results).to.have.length(1);

      const logIn = operationOn(page, 'Authentication', 'logIn');
      await logIn.open();
      expect(await logIn.execute({ username: 'guest', password: 'guest-secret' })).to.include({ status: '200' });
      await createUser.block.locator('.btn-clear').click();
      const refused = await createUser.execute({ ...body, username: 'another' });
      expect(refused.status).to.equal('403');
      expect(refused.text).to.include('only a Leader of the division may do this');
    });

    it('follows the colour scheme of the system', async () => {
      const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html.dark-mode').waitFor();
      expect(await background()).to.equal('rgb(28, 32, 34)');
      await page.emulateMedia({ colorScheme: 'light' });
      await page.locator('html:not(.dark-mode)').waitFor();
      expect(await background()).to.equal('rgb(250, 250, 250)');
    });
  });

  it('a page of an allowed origin reads responses and problems, a page of another origin does not', async () => {
    const page = await openPage(browser);
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
