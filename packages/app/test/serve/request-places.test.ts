import type { Database } from '@chapter/adapters-postgres';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { composeService } from '../../src/compose.ts';
import { readConfig } from '../../src/config/config.ts';

describe('The places of requests in one process', () => {
  it('are 64: at most 48 for reads or writes alone, and 32 for one caller', async () => {
    const dataDir = makeFolder();
    const config = readConfig({ ...testSettings, DATA_DIR: dataDir });
    const { queues, requests, stop } = composeService(config, {} as Database, { info: () => {}, warn: () => {} });
    const { promise: served, resolve: serve } = Promise.withResolvers<void>();
    const running: number[] = [];
    const calls = ['reads ada', 'reads bea', 'writes cy'].flatMap((share) => {
      const [kind = '', caller = ''] = share.split(' ');
      const sent = Array.from({ length: 40 }, () => requests.run([kind, caller], () => served));
      running.push(queues.requests().running);
      return sent;
    });
    serve();
    await Promise.all(calls);
    stop();
    expect(running).to.deep.equal([32, 48, 64]);
  });
});
