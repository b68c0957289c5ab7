import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { pino } from 'pino';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { readConfig } from '../../src/config/config.ts';
import { startService } from '../../src/serve/service.ts';

const isOpen = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

describe('A service whose internal port cannot be opened', () => {
  const database = useTestDatabase();
  const dataDir = makeFolder();

  it('closes the API', async () => {
    const port = await freePort();
    const listening = { HOST: '127.0.0.1', PORT: String(port), OPS_HOST: 'chapter.invalid', OPS_PORT: '0' };
    const config = readConfig({
      ...testSettings,
      ...listening,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      MIGRATE_ON_START: 'true',
    });
    const refusal = await startService(config, pino({ enabled: false })).catch(String);
    expect(refusal).to.include('set OPS_HOST to another address');
    expect(await isOpen(port)).to.equal(false);
  });
});
