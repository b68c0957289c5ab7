import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { logIn } from '../../../../test-support/client.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { serveInProcess } from '../../../../test-support/service-process.ts';
import { PASSWORD } from '../../../../test-support/two-services.ts';
import { expectUnavailable } from './behind-network.ts';

describe('A service whose PostgreSQL takes no connections', () => {
  const dataDir = makeFolder();

  it('returns 503 to requests that need a new connection, and recovers when PostgreSQL continues', async () => {
    const service = await serveInProcess({ DATA_DIR: dataDir });
    const leader = await logIn(service.url, 'leader', PASSWORD);
    const postmaster = Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
    const requests = () => Promise.all(Array.from({ length: 16 }, () => leader('GET', '/api/users/')));
    process.kill(postmaster, 'SIGSTOP');
    try {
      const responses = await requests();
      const without = responses.filter(({ status }) => status !== 200);
      expect(without).to.not.deep.equal([]);
      for (const response of without) expectUnavailable(response);
      expect((await leader('GET', '/api/users/')).status).to.equal(200);
    } finally {
      process.kill(postmaster, 'SIGCONT');
    }
    for (const { status } of await requests()) expect(status).to.equal(200);
    expect(await service.end()).to.deep.equal({ status: 0, signal: null });
  });
});
