import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Client, clientOf, logIn } from '../../../../test-support/client.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { serveInProcess } from '../../../../test-support/service-process.ts';
import { PASSWORD } from '../../../../test-support/two-services.ts';
import { expectUnavailable, useServiceBehindNetwork } from './behind-network.ts';

type ApiResponse = Awaited<ReturnType<Client>>;

describe('A service whose database hangs', () => {
  let ops: string;
  const chapter = useServiceBehindNetwork({ statement_timeout: '500' }, async () => {
    const port = await freePort();
    ops = `http://127.0.0.1:${port}`;
    return { OPS_PORT: String(port) };
  });

  it('returns 503 with Retry-After after the time limit, and recovers when the database continues', async () => {
    const { leader, network, service } = chapter();
    const anonymous = clientOf(service.url);
    const requests = (): Promise<readonly ApiResponse[]> =>
      Promise.all([
        leader('GET', '/api/info/'),
        leader('GET', '/api/users/'),
        leader('POST', '/api/users/', { username: 'lost', password: 'a long enough secret' }),
        anonymous('POST', '/api/auth/login/', { username: 'leader', password: PASSWORD }),
        anonymous('POST', '/api/auth/tokens/', { refresh_token: 'x'.repeat(43) }),
      ]);
    const ready = async (): Promise<number> => (await fetch(`${ops}/readyz`)).status;
    expect(await ready()).to.equal(200);
    network.hang();
    for (const response of await requests()) expectUnavailable(response);
    expect(await ready()).to.equal(503);
    expect((await fetch(`${ops}/livez`)).status).to.equal(200);
    expect((await anonymous('GET', '/api/auth/keys/')).status).to.equal(200);
    network.mend();
    // A probe must be answered first.
    while ((await leader('GET', '/api/users/')).status === 503);
    expect((await requests()).map(({ status }) => status)).to.deep.equal([200, 200, 201, 200, 401]);
    expect(await ready()).to.equal(200);
  });
});

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
