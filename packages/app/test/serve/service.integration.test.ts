import { expect } from 'chai';
import { pino } from 'pino';
import { asRole, useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { query } from '../../../../test-support/query.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/serve/service.ts';

describe('A service whose internal port cannot be opened', () => {
  const database = useTestDatabase();
  const dataDir = makeFolder();

  it('closes the API', async () => {
    const port = await freePort();
    const listening = { HOST: '127.0.0.1', PORT: String(port), OPS_HOST: 'chapter.invalid', OPS_PORT: '0' };
    const storing = { DATABASE_URL: database.url, DATA_DIR: dataDir, MIGRATE_ON_START: 'true' };
    const config = readConfig({ ...testSettings, ...listening, ...storing });
    const refusal = await startService(config, pino({ enabled: false })).catch(String);
    expect(refusal).to.include('set OPS_HOST to another address');
    expect(await fetch(`http://127.0.0.1:${port}`).catch(() => 'closed')).to.equal('closed');
  });
});

describe('A service whose role does not own the schema', () => {
  const database = useTestDatabase();
  const dataDir = makeFolder();

  it('migrates as the owner before it connects as the serving role, which may not connect before', async () => {
    await query(database.url, `revoke connect on database ${new URL(database.url).pathname.slice(1)} from public`);
    const urls = { DATABASE_URL: await asRole(database.url, 'service'), OWNER_DATABASE_URL: database.url };
    const config = readConfig({ ...testSettings, ...urls, DATA_DIR: dataDir, MIGRATE_ON_START: 'true' });
    const { api, stop } = await startService(config, pino({ enabled: false }));
    const { status } = await fetch(`http://${api.host}:${api.port}/api/auth/keys/`);
    await stop();
    expect(status).to.equal(200);
  });
});
