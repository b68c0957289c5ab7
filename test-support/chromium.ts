import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** The path of an installed Chromium (`CHROMIUM`, or one of the usual places); undefined if there is none. */
export const CHROMIUM = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** Milliseconds within which Chromium starts and a page reacts, on a slow and busy machine. */
const LIMIT_MS = 120_000;

/** Starts the installed Chromium without its background requests, such as updates. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM ?? '',
    timeout: LIMIT_MS,
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** Opens a page with a generous time limit. */
export const openPage = async (browser: Browser, options?: BrowserContextOptions): Promise<Page> => {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(LIMIT_MS);
  return page;
};

/** Collects the errors of a page and its requests to other addresses, except errors that contain the expected text. */
export const collectFaults = (page: Page, base: string, expected?: string): readonly string[] => {
  const faults: string[] = [];
  page.on('console', (message) => {
    const isExpected = expected !== undefined && message.text().includes(expected);
    if (message.type() === 'error' && !isExpected) faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${base}/`) && !request.url().startsWith('data:')) faults.push(request.url());
  });
  return faults;
};

/** Returns the pixels by which the page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
