// Takes the screenshots in the README: the output of a first start, and the documentation on a desktop and on a phone.
import { mkdirSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../test-support/chromium.ts';
import { makeFolder } from '../test-support/folders.ts';
import { serveInProcess } from '../test-support/service-process.ts';

const FOLDER = 'docs/images';
const LIST = '#operations-Users-listUsers';
const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The output of a first start as a terminal shows it. */
const terminal = (output: string): string => `<!doctype html><meta charset="utf-8"><style>
  body { margin: 0; background: #1e1e2e; } pre { margin: 0; padding: 20px 24px; color: #cdd6f4; font: 15px/1.45 monospace; }
  b { color: #a6e3a1; font-weight: normal; }
</style><pre><b>$</b> npm start\n${escapeHtml(output)}</pre>`;

const execute = async (page: Page, operation: string): Promise<void> => {
  const block = page.locator(`#operations-${operation}`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('.execute').click();
  await block.locator('.live-responses-table').waitFor();
};

/** Takes a screenshot with an element at its top. */
const takeScreenshot = async (page: Page, selector: string, name: string): Promise<void> => {
  const scroll = `(() => {
    const element = document.querySelector('${selector}');
    const isAtTop = Math.abs(element.getBoundingClientRect().top) < 2;
    if (!isAtTop) element.scrollIntoView();
    return isAtTop;
  })()`;
  // Repeats, because the page scrolls too, some time after the list opens.
  while (!(await page.evaluate(scroll))) await page.waitForTimeout(100);
  // Without a pointer over the list, its header has no button.
  await page.mouse.move(0, 0);
  await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled' });
};

/** Logs in and lists the users, as a reader of the documentation does. */
const openList = async (browser: Browser, url: string, width: number, height: number): Promise<Page> => {
  const page = await browser.newPage({ viewport: { width, height }, deviceScaleFactor: width < 500 ? 2 : 1 });
  await page.goto(`${url}/api/docs/`);
  await execute(page, 'Authentication-logIn');
  await page.locator('#operations-Authentication-logIn .opblock-summary-control').click();
  await execute(page, 'Users-listUsers');
  return page;
};

const dataDir = makeFolder();
// Uses the default scrypt parameters. With the cheaper ones of the tests, the output would contain a warning.
const service = await serveInProcess({ DATA_DIR: dataDir, PORT: '3000', SCRYPT_LOG_N: '', SCRYPT_P: '' });
const browser = await launchChromium();
try {
  mkdirSync(FOLDER, { recursive: true });
  const start = await browser.newPage({ viewport: { width: 900, height: 300 } });
  await start.setContent(terminal(service.output().trimEnd()));
  await start.locator('pre').screenshot({ path: `${FOLDER}/start.png` });

  await takeScreenshot(await openList(browser, service.url, 1100, 1500), LIST, 'documentation-list');
  await takeScreenshot(await openList(browser, service.url, 390, 844), `${LIST} .request-url`, 'documentation-phone');
} finally {
  await browser.close();
  await service.end();
}
