import type { Database } from '@chapter/adapters-postgres';
import { expect } from 'chai';
import { pino } from 'pino';
import { makeFolder } from '../../../../test-support/folders.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { readConfig } from '../../src/config/config.ts';
import type { DemoAccount } from '../../src/database/demo-accounts.ts';
import { startApi } from '../../src/serve/api.ts';

describe('startApi', () => {
  it('serves before the demo accounts are known, for which only the documentation waits', async () => {
    const config = readConfig({ ...testSettings, DATA_DIR: makeFolder() });
    const { promise: accounts, resolve } = Promise.withResolvers<readonly DemoAccount[]>();
    const { at, stop } = await startApi(config, {} as Database, accounts, pino({ enabled: false }));
    try {
      const get = (path: string) => fetch(`http://127.0.0.1:${at.port}${path}`);
      const openapi = get('/api/openapi/');
      expect(await (await get('/api/auth/keys/')).json()).to.have.keys('keys');
      resolve([{ username: 'zaphod', role: 'Leader of North' }]);
      expect(await (await openapi).text()).to.include('zaphod');
    } finally {
      await stop();
    }
  });
});
