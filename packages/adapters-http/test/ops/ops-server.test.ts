import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeHttpMetrics, makeOpsServer, type OpsPorts } from '@chapter/adapters-http';
import { type DatabaseHealth, makeAccess } from '@chapter/domain/api';
import { makeWorld } from '@chapter/domain/testing';
import { expect } from 'chai';
import { Registry } from 'prom-client';

describe('The internal port', () => {
  const registry = new Registry();
  const metrics = makeHttpMetrics(registry);
  const health: DatabaseHealth = { reads: true, writes: true, blockers: [], clockDifferenceMs: 0 };
  const logged: { readonly error?: unknown }[] = [];
  const ready: Omit<OpsPorts, 'registry'> = {
    isStopping: () => false,
    checkDatabase: () => Promise.resolve(health),
    refusedHosts: () => [],
    areWorkersReady: () => true,
    access: makeAccess(makeWorld()),
    log: { error: (fields: object) => void logged.push(fields), warn: () => {} },
  };
  const servers: Server[] = [];
  /** Serves the internal port of a service in this state and returns its address. */
  const listen = async (state: Omit<OpsPorts, 'registry'> & Partial<OpsPorts>): Promise<string> => {
    const server = makeOpsServer({ registry, ...state });
    servers.push(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  let base: string;
  before(async () => {
    base = await listen(ready);
  });
  after(() => {
    for (const server of servers) server.close();
  });

  it('returns 200 from /livez', async () => {
    const response = await fetch(`${base}/livez`);
    expect(response.status).to.equal(200);
    expect(await response.json()).to.deep.equal({ status: 'alive' });
  });

  const works = { reads: true, writes: true, clock: 'ok', locks: 'ok', hosts: 'ok', workers: true };
  const lacksDatabase = { reads: false, writes: false, clock: 'unknown', locks: 'unknown', hosts: 'ok', workers: true };
  const blocker = { applicationName: 'psql', state: null, transactionSeconds: null, waitSeconds: 2 };
  const withHealth = (change: Partial<typeof health>) => ({
    checkDatabase: () => Promise.resolve({ ...health, ...change }),
  });
  const ahead = "the database's clock is 5.1 s ahead of the clock of this instance";
  const behind = "the database's clock is 1382400.0 s behind the clock of this instance";
  const states: [string, Partial<OpsPorts>, number, object][] = [
    ['is ready', {}, 200, works],
    ['is shutting down and has not checked its database', { isStopping: () => true }, 503, lacksDatabase],
    ['lacks a worker', { areWorkersReady: () => false }, 503, { ...works, workers: false }],
    ['cannot write', withHealth({ writes: false }), 200, { ...works, writes: false }],
    [
      'is connected to a standby or has an old schema',
      withHealth({ reads: false }),
      503,
      { ...works, reads: false, writes: false },
    ],
    [
      'fails to reach its database',
      { checkDatabase: () => Promise.reject(new Error('connection refused')) },
      503,
      lacksDatabase,
    ],
    ['has a clock 5 s ahead', withHealth({ clockDifferenceMs: -5000 }), 200, works],
    ['has a clock 5 s behind', withHealth({ clockDifferenceMs: 5000 }), 200, works],
    ['has a clock 5.1 s behind', withHealth({ clockDifferenceMs: 5100 }), 200, { ...works, clock: ahead }],
    [
      'has a clock 16 days ahead',
      withHealth({ clockDifferenceMs: -16 * 86_400_000 }),
      200,
      { ...works, clock: behind },
    ],
    [
      'waits for locks',
      withHealth({
        blockers: [
          { ...blocker, pid: 4711 },
          { ...blocker, pid: 4712 },
        ],
      }),
      200,
      { ...works, locks: 'requests wait for locks of database process 4711, 4712' },
    ],
    [
      'has a wrong clock, a read-only database and no workers',
      {
        ...withHealth({ writes: false, clockDifferenceMs: 5100 }),
        areWorkersReady: () => false,
      },
      503,
      { ...works, writes: false, clock: ahead, workers: false },
    ],
  ];
  for (const [description, change, status, body] of states) {
    it(`returns ${status} from /readyz, with the reason, if the service ${description}`, async () => {
      const response = await fetch(`${await listen({ ...ready, ...change })}/readyz?x`);
      expect(response.status).to.equal(status);
      expect(await response.json()).to.deep.equal(body);
    });
  }

  it('has lower limits for connections and times than the API', () => {
    expect(servers[0]).to.include({ maxConnections: 16, headersTimeout: 5000, requestTimeout: 5000, timeout: 10_000 });
  });

  it('returns metrics of requests and logins in the format of Prometheus', async () => {
    metrics.observe({ method: 'GET', route: '/api/users/{id}/', status: 200, seconds: 0.002 });
    metrics.observe({ method: 'GET', route: '/api/users/{id}/', status: 200, seconds: 0.2 });
    metrics.observe({ method: 'GET', route: null, status: 404, seconds: 0.001 });
    metrics.unreadable(431);
    metrics.dropped();
    for (const status of [200, 401, 401, 429, 422]) {
      metrics.observe({ method: 'POST', route: '/api/auth/login/', status, seconds: 0.1 });
    }
    const response = await fetch(`${base}/metrics`);
    expect(response.headers.get('content-type')).to.include('text/plain');
    const text = await response.text();
    expect(text).to.include(
      'chapter_http_request_duration_seconds_count{method="GET",route="/api/users/{id}/",status="200"} 2',
    );
    expect(text).to.include('chapter_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1');
    expect(text).to.include('chapter_http_unreadable_requests_total{status="431"} 1');
    expect(text).to.not.match(/duration.*431/);
    expect(text).to.include('chapter_http_connections_dropped_total 1');
    expect(text).to.include('chapter_logins_total{outcome="succeeded"} 1');
    expect(text).to.include('chapter_logins_total{outcome="refused"} 2');
    expect(text).to.include('chapter_logins_total{outcome="limited"} 1');
    expect(text).to.include('chapter_logins_total{outcome="malformed"} 1');
  });

  it('logs an unexpected error with the request id of the response', async () => {
    const failing = { contentType: 'text/plain', metrics: () => Promise.reject(new TypeError('a worker is silent')) };
    const response = await fetch(`${await listen({ ...ready, registry: failing })}/metrics?token=secret`);
    expect(response.status).to.equal(500);
    const { request_id: requestId } = (await response.json()) as { request_id: string };
    expect(logged).to.have.lengthOf(1);
    expect(logged[0]).to.deep.include({ requestId, route: '/metrics' });
    expect(logged[0]?.error).to.include({ message: 'a worker is silent' });
  });

  it('returns 404 for other paths and 405 for other methods', async () => {
    expect((await fetch(`${base}/api/users/`)).status).to.equal(404);
    expect((await fetch(`${base}/constructor`)).status).to.equal(404);
    const refused = await fetch(`${base}/livez`, { method: 'POST' });
    expect(refused.status).to.equal(405);
    expect(refused.headers.get('allow')).to.equal('GET, HEAD');
  });
});
