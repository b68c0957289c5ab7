import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { CHROMIUM, collectFaults, launchChromium, openPage, overflowOf } from '../../../../test-support/chromium.ts';
import { skip } from '../../../../test-support/skip.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';

const PASSWORD = 'penguins swim at dawn';

describe('The page of a password link in a browser', () => {
  let chapter: ServedChapter;
  let proxy: Server;
  let browser: Browser;
  let base: string;
  /** The paths that the browser has requested from the proxy. */
  const requested: string[] = [];
  before(async function () {
    if (!CHROMIUM) skip(this, 'there is no Chromium');
    const settings = { docs: false, passwordMinLength: 12 } as const;
    chapter = await makeServedChapter(settings, () => ({
      passwordMinLength: 12,
      passwordPage: () => `${base}/password/`,
    }));
    // Serves the service below a path.
    proxy = createServer((message, response) => {
      const { headers, method, url = '' } = message;
      requested.push(url);
      const path = url.replace(/^\/chapter/, '');
      message.pipe(
        request({ port: chapter.port, method, headers, path }, (found) => {
          response.writeHead(found.statusCode ?? 502, found.headers);
          found.pipe(response);
        }),
      );
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/chapter`;
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await chapter?.close();
    proxy?.close();
  });

  let page: Page;
  let faults: readonly string[] = [];
  const open = async (url: string, options: BrowserContextOptions = {}): Promise<void> => {
    page = await openPage(browser, { viewport: { width: 360, height: 740 }, ...options });
    // Tests expect refusals and lost connections.
    faults = collectFaults(page, base, 'Failed to load resource');
    await page.goto(url);
  };
  afterEach(async () => {
    await page?.close();
    expect(faults).to.deep.equal([]);
  });

  /** Creates a link for a new member. */
  const linkFor = async (username: string): Promise<{ url: string; token: string }> => {
    const { id } = await chapter.admit(username, ['User']);
    const { body } = await chapter.send('POST', `/api/users/${id}/password-links/`, { as: chapter.leader });
    return body;
  };
  const said = async (text: string | RegExp): Promise<void> => {
    await page.getByRole('status').filter({ hasText: text }).waitFor();
  };
  const submit = async (password: string): Promise<void> => {
    await page.getByLabel('New password').fill(password);
    await page.keyboard.press('Enter');
  };

  it('sets the password of the user whose name it shows, by keyboard, on a phone, below the path of a proxy', async () => {
    const { url, token } = await linkFor('ada+1.');
    await open(url);
    await page.getByLabel('Username').waitFor();
    expect(page.url()).to.equal(`${base}/password/`);
    expect(await page.getByLabel('Username').inputValue()).to.equal('ada+1.');
    expect(await overflowOf(page)).to.equal(0);
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    const field = page.getByLabel('New password');
    expect([await field.getAttribute('type'), await field.inputValue()]).to.deep.equal(['text', PASSWORD]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await said('Your password is set');
    expect(await page.locator('form').isVisible()).to.equal(false);
    expect(await page.evaluate('document.activeElement.id')).to.equal('message');
    const login = { username: 'ada+1.', password: PASSWORD };
    expect(await chapter.send('POST', '/api/auth/login/', { json: login })).to.include({ status: 200 });

    const paths = ['', 'script', 'style'].map((name) => `/chapter/password/${name}`);
    expect(new Set(requested)).to.deep.equal(new Set([...paths, '/chapter/api/auth/passwords/']));
    expect(JSON.stringify(chapter.log)).to.include('/password/').and.not.include(token).and.not.include(PASSWORD);
    await page.reload();
    await said('Open the link that you received again');
    expect(await page.locator('form').isVisible()).to.equal(false);
  });

  it('says what is wrong with a password, and keeps the link', async () => {
    const { url } = await linkFor('a-long-username');
    await open(url);
    expect(await page.locator('#rules').textContent()).to.include('At least 12 characters.');
    const field = page.getByLabel('New password');
    for (const [password, fault] of [
      ['', 'The password must have at least 12 characters.'],
      ['short', 'The password must have at least 12 characters.'],
      ['A-Long-Username', 'The password must not be the username or the email.'],
      ['x'.repeat(129), 'The password must have at most 128 characters.'],
    ] as const) {
      await submit(password);
      await said(fault);
      expect(await field.getAttribute('aria-invalid')).to.equal('true');
      expect(await page.evaluate('document.activeElement.name')).to.equal('password');
      expect(await field.inputValue()).to.equal(password);
    }
    await submit(PASSWORD);
    await said('Your password is set');
  });

  it('says that a link is used, and opens another one in the same tab', async () => {
    const [used, next] = [await linkFor('used'), await linkFor('next')];
    const json = { token: used.token, password: PASSWORD };
    expect(await chapter.send('POST', '/api/auth/passwords/', { json })).to.include({ status: 204 });
    await open(used.url);
    await submit(PASSWORD);
    await said('ask for a new link');
    expect(await page.locator('form').isVisible()).to.equal(false);
    await page.goto(next.url);
    await submit(PASSWORD);
    await said('Your password is set');
  });

  it('says what to do if the service refuses, fails or does not respond', async () => {
    await open((await linkFor('patient')).url);
    await submit('short');
    await said('at least 12 characters');
    const problem = { errors: [] };
    for (const [response, text] of [
      [
        { status: 429, headers: { 'Retry-After': '840' }, json: problem },
        'too many attempts. Try again in 14 minutes.',
      ],
      [{ status: 503, headers: { 'Retry-After': '1' }, json: problem }, 'busy. Try again in 1 second.'],
      [{ status: 422, json: null }, 'reports an error (422). Try again later.'],
      [{ status: 502, body: '<p>Bad Gateway' }, 'busy. Try again later.'],
      [{ status: 500, headers: { 'X-Request-Id': 'r1' }, json: problem }, '(500, request r1)'],
      [{ status: 200, body: '<p>Log in to this network' }, 'reports an error (200). Try again later.'],
      [null, 'There was no response. Check your connection, then try again.'],
    ] as const) {
      await page.route('**/api/**', (route) => (response ? route.fulfill(response) : route.abort()), { times: 1 });
      await submit(PASSWORD);
      await said(text);
      expect(await page.getByLabel('New password').getAttribute('aria-invalid')).to.not.equal('true');
    }
    await page.keyboard.press('Enter');
    await said('Your password is set');
  });

  it('follows the colour scheme of the system', async () => {
    const colours = async (colorScheme: 'dark' | 'light') => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate('[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]');
    };
    await open(`${base}/password/`, { colorScheme: 'dark' });
    expect(await colours('dark')).to.deep.equal(['rgb(34, 39, 42)', 'rgb(230, 232, 234)']);
    expect(await colours('light')).to.deep.equal(['rgb(255, 255, 255)', 'rgb(27, 31, 36)']);
  });

  it('shows the name as text, and no form without a script', async () => {
    await open(`${base}/password/#username=%3Cimg%20src%3Dx%3E&token=x`);
    expect(await page.getByLabel('Username').inputValue()).to.equal('<img src=x>');
    expect(await page.locator('img').count()).to.equal(0);
    await page.close();
    await open(`${base}/password/#token=x`, { javaScriptEnabled: false });
    await said('This page needs JavaScript.');
    expect(await page.locator('form').isVisible()).to.equal(false);
  });
});
