import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { accessToken, clientOf, type ResponseJson } from '../../../../test-support/client.ts';
import { codeBlocks } from '../../../../test-support/code-blocks.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { execute } from '../../../../test-support/processes.ts';
import { DEMO_PASSWORD } from '../../src/database/demo-data.ts';
import { useServiceBehindNetwork } from '../security/behind-network.ts';

const metric = (text: string, line: RegExp): number => Number(line.exec(text)?.[1] ?? Number.NaN);

describe('The internal port of several workers', () => {
  let ops: string;
  const chapter = useServiceBehindNetwork(async () => {
    const port = await freePort();
    ops = `http://127.0.0.1:${port}`;
    return { OPS_PORT: String(port), WORKERS: '2' };
  });

  it('reports that the service is alive and ready', async () => {
    for (const path of ['/livez', '/readyz']) expect((await fetch(ops + path)).status).to.equal(200);
    const ready = { reads: true, writes: true, clock: 'ok', locks: 'ok', hosts: 'ok', workers: true };
    expect(await (await fetch(`${ops}/readyz`)).json()).to.deep.equal(ready);
    expect((await fetch(`${chapter().service.url}/readyz`)).status).to.equal(404);
  });

  it('counts the requests and logins of all processes', async () => {
    const { leader, service } = chapter();
    await Promise.all(
      Array.from({ length: 20 }, () => leader('GET', '/api/info/', undefined, { Connection: 'close' })),
    );
    await clientOf(service.url)('POST', '/api/auth/login/', { username: 'leader', password: 'wrong' });
    const text = await (await fetch(`${ops}/metrics`)).text();
    expect(metric(text, /^chapter_http_request_duration_seconds_count\{.*route="\/api\/info\/".*\} (\d+)/m)).to.equal(
      20,
    );
    expect(metric(text, /^chapter_logins_total\{outcome="succeeded"\} (\d+)/m)).to.equal(1);
    expect(metric(text, /^chapter_logins_total\{outcome="refused"\} (\d+)/m)).to.equal(1);
    expect(metric(text, /^chapter_database_connections\{state="open"\} (\d+)/m)).to.be.at.least(2);
    for (const queue of ['requests', 'hashes', 'writes']) {
      expect(
        metric(text, new RegExp(`^chapter_queue_calls\\{queue="${queue}",state="waiting"\\} (\\d+)`, 'm')),
      ).to.equal(0);
    }
    expect(text).to.match(/^nodejs_eventloop_lag_/m);
    expect(metric(text, /^chapter_build_info\{version="[^"]+"\} (\d+)/m)).to.equal(1);
    expect(metric(text, /^chapter_database_clock_difference_seconds (-?[\d.e-]+)/m)).to.be.within(-5, 5);
    expect(metric(text, /^chapter_purge_timestamp_seconds (\d+)/m)).to.be.closeTo(Date.now() / 1000, 600);
    expect(metric(text, /^chapter_key_timestamp_seconds ([\d.e+]+)/m)).to.be.closeTo(Date.now() / 1000, 600);
    expect(metric(text, /^chapter_database_table_bytes\{table="user_account"\} (\d+)/m)).to.be.greaterThan(8192);
    for (const name of ['lock_wait_seconds', 'oldest_transaction_seconds', 'incidents_total{kind="repeated"}'])
      expect(text).to.include(`\nchapter_database_${name} `);
    expect(text).to.include('\nchapter_worker_restarts_total 0\n');
  });

  const ask = async (path: string, question: object): Promise<{ status: number; body: ResponseJson }> => {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${ops}/access/v1/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(question),
    });
    return { status: response.status, body: await response.json() };
  };
  const user = (id: string) => ({ type: 'user', id });
  const idOf = async (username: string): Promise<string> => {
    const { body } = await chapter().leader('GET', `/api/users/?username=${username}`);
    return body.results[0].id;
  };

  it('decides questions about rights as the documentation shows', async () => {
    const ids = `sub=${await idOf('guest')}\nid=${await idOf('leader')}\n`;
    const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split('\n## Rights for other services\n');
    const [example = ''] = codeBlocks(section, 'sh');
    const { stdout } = await execute('sh', ['-c', ids + example.replace('http://localhost:9464', ops)]);
    expect(stdout).to.match(
      /^\{"decision":false,.*"reason":"only .*"results":\[\{"type":"user","id":"[-0-9a-f]{36}"\}/,
    );
  });

  it('refuses them with 503 while the database is silent or gone, and decides again afterwards', async () => {
    const { network } = chapter();
    const question = {
      subject: user(await idOf('leader')),
      action: { name: 'getInfo' },
      resource: { type: 'service', id: 'chapter' },
    };
    const decide = async () => (await ask('evaluation', question)).status;
    for (const breaks of [() => network.hang(), () => network.cut()]) {
      breaks();
      expect(await decide()).to.equal(503);
      expect((await fetch(`${ops}/livez`)).status).to.equal(200);
      network.mend();
      while ((await decide()) !== 200);
    }
  });

  it('loses no request when the service stops, and closes with status 0', async () => {
    const { service } = chapter();
    const token = await accessToken(service.url, 'leader', DEMO_PASSWORD);
    const statuses: number[] = [];
    // Each client uses one connection until the service closes it.
    const warm = new Set<number>();
    const load = Array.from({ length: 8 }, async (_, nth) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let last = false; !last; ) {
        const request = get(`${service.url}/api/users/`, { agent, headers: { Authorization: `Bearer ${token}` } });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        response.resume();
        await once(response, 'end');
        statuses.push(response.statusCode ?? 0);
        warm.add(nth);
        last = response.headers.connection === 'close';
      }
    });
    while (warm.size < load.length) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await service.end()).to.deep.equal({ status: 0, signal: null });
    await Promise.all(load);
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });
});
