import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeHttpMetrics, makeOpsServer, type OpsPorts } from '@chapter/adapters-http';
import { expect } from 'chai';
import { Registry } from 'prom-client';

describe('The internal port', () => {
  const registry = new Registry();
  const metrics = makeHttpMetrics(registry);
  const ready = { isStopping: () => false, canRead: () => true, areWorkersReady: () => true };
  let state: Omit<OpsPorts, 'registry'> = ready;
  let server: Server;
  let base: string;
  before(async () => {
    server = makeOpsServer({
      isStopping: () => state.isStopping(),
      canRead: () => state.canRead(),
      areWorkersReady: () => state.areWorkersReady(),
      registry,
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server?.close());

  it('says that the process lives', async () => {
    const response = await fetch(`${base}/livez`);
    expect(response.status).to.equal(200);
    expect(await response.json()).to.deep.equal({ status: 'alive' });
  });

  const states: [string, Partial<OpsPorts>, number, object][] = [
    ['is ready', {}, 200, { reads: true, workers: true }],
    ['is shutting down', { isStopping: () => true }, 503, { reads: true, workers: true }],
    ['cannot read', { canRead: () => Promise.resolve(false) }, 503, { reads: false, workers: true }],
    [
      'fails to reach its database',
      { canRead: () => Promise.reject(new Error('connection refused')) },
      503,
      { reads: false, workers: true },
    ],
    ['waits for its database', { canRead: () => new Promise(() => {}) }, 503, { reads: false, workers: true }],
    ['lacks a worker', { areWorkersReady: () => false }, 503, { reads: true, workers: false }],
  ];
  for (const [description, change, status, body] of states) {
    it(`answers ${status} and says why when the service ${description}`, async () => {
      state = { ...ready, ...change };
      const response = await fetch(`${base}/readyz?x`);
      expect(response.status).to.equal(status);
      expect(await response.json()).to.deep.equal(body);
    });
  }

  it('allows few connections and short times, apart from those of the API', () => {
    expect(server).to.include({ maxConnections: 16, headersTimeout: 5000, requestTimeout: 5000, timeout: 10_000 });
  });

  it('shows requests and logins as Prometheus reads them', async () => {
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

  it('has nothing else', async () => {
    expect((await fetch(`${base}/api/users/`)).status).to.equal(404);
    expect((await fetch(`${base}/constructor`)).status).to.equal(404);
    const refused = await fetch(`${base}/livez`, { method: 'POST' });
    expect(refused.status).to.equal(405);
    expect(refused.headers.get('allow')).to.equal('GET, HEAD');
  });
});
