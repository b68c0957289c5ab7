import { createHook } from 'node:async_hooks';
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Database } from '@chapter/adapters-postgres';
import { expect } from 'chai';
import { pino } from 'pino';
import { makeFolder } from '../../../../test-support/folders.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { readConfig } from '../../src/config/config.ts';
import type { DemoAccount } from '../../src/database/demo-accounts.ts';
import { startApi } from '../../src/serve/api.ts';

/** Sends a request without decoding the response, which would use the compression library too. */
const get = (port: number, path: string, coding: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const headers = { 'Accept-Encoding': coding };
    request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => resolve(buffer(response)))
      .on('error', reject)
      .end();
  });

describe('startApi', () => {
  it('compresses each asset of the documentation once, also if requests are faster', async () => {
    const dataDir = makeFolder();
    const config = readConfig({ ...testSettings, DATA_DIR: dataDir });
    let compressions = 0;
    const hook = createHook({
      init: (_, type) => {
        if (type === 'ZLIB') compressions += 1;
      },
    });
    hook.enable();
    // The documentation reads nothing from the database.
    const { at, stop } = await startApi(config, {} as Database, Promise.resolve([]), pino({ enabled: false }));
    try {
      const page = (await get(at.port, '/api/docs/', 'identity')).toString();
      const paths = [...page.matchAll(/ (?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
      expect(paths).to.have.lengthOf(6);
      const bodies = await Promise.all(
        paths.map((path) => Promise.all(['identity', 'br', 'gzip'].map((coding) => get(at.port, path, coding)))),
      );
      expect(compressions).to.equal(2 * paths.length);
      for (const [plain, brotli, gzip] of bodies) {
        expect(brotliDecompressSync(brotli ?? '')).to.deep.equal(plain);
        expect(gunzipSync(gzip ?? '')).to.deep.equal(plain);
      }
    } finally {
      hook.disable();
      await stop();
    }
  });

  it('serves before the demo accounts are known, for which only the documentation waits', async () => {
    const config = readConfig({ ...testSettings, DATA_DIR: makeFolder() });
    const { promise: accounts, resolve } = Promise.withResolvers<readonly DemoAccount[]>();
    const { at, stop } = await startApi(config, {} as Database, accounts, pino({ enabled: false }));
    try {
      const openapi = get(at.port, '/api/openapi/', 'identity');
      expect(JSON.parse((await get(at.port, '/api/auth/keys/', 'identity')).toString())).to.have.keys('keys');
      resolve([{ username: 'zaphod', role: 'Leader of North' }]);
      expect((await openapi).toString()).to.include('zaphod');
    } finally {
      await stop();
    }
  });
});
