import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeHttpMetrics, makeOpsApi } from '@chapter/adapters-http';
import { expect } from 'chai';
import { Registry } from 'prom-client';

describe('The internal port', () => {
  const registry = new Registry();
  const metrics = makeHttpMetrics(registry);
  let isReady: () => boolean | Promise<boolean> = () => true;
  let server: Server;
  let base: string;
  before(async () => {
    server = createServer(makeOpsApi({ isReady: () => isReady(), registry }));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  it('says that the process lives', async () => {
    const response = await fetch(`${base}/livez`);
    expect(response.status).to.equal(200);
    expect(await response.json()).to.deep.equal({ status: 'alive' });
  });

  const states: [string, () => boolean | Promise<boolean>, number][] = [
    ['can serve', () => true, 200],
    ['cannot serve', () => Promise.resolve(false), 503],
    ['cannot tell', () => Promise.reject(new Error('connection refused')), 503],
  ];
  for (const [words, state, status] of states) {
    it(`answers ${status} when the service ${words}`, async () => {
      isReady = state;
      const response = await fetch(`${base}/readyz?x`);
      expect(response.status).to.equal(status);
      expect(await response.text()).to.not.include('refused');
    });
  }

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
