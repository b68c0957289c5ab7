import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { makeDataDir, serve } from '../test-support/service-process.ts';

// Takes the pictures of the README anew: what a first start prints, and the documentation in a browser.

const FOLDER = 'docs/images';
const escapeHtml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The output of a first start as a terminal shows it. */
const terminal = (output: string): string => `<!doctype html><meta charset="utf-8"><style>
  body { margin: 0; background: #1e1e2e; } pre { margin: 0; padding: 20px 24px; color: #cdd6f4; font: 15px/1.45 monospace; }
  b { color: #a6e3a1; font-weight: normal; }
</style><pre><b>$</b> npm start\n${escapeHtml(output)}</pre>`;

const dataDir = makeDataDir();
const service = await serve({ DATA_DIR: dataDir.path, PORT: '3000' });
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
try {
  mkdirSync(FOLDER, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 900, height: 300 } });
  await page.setContent(terminal(service.output().trimEnd()));
  await page.locator('pre').screenshot({ path: `${FOLDER}/start.png` });

  await page.setViewportSize({ width: 1100, height: 900 });
  await page.goto(`${service.url}/api/docs/`);
  await page.getByText('/api/users/').first().waitFor();
  await page.screenshot({ path: `${FOLDER}/documentation.png` });
} finally {
  await browser.close();
  await service.end();
  dataDir.remove();
}
