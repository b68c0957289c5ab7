import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { Client } from 'pg';
import { accessToken, clientOf, logIn, type ResponseJson } from '../../../../test-support/client.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareDemo } from '../../../../test-support/demo-database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { freePort } from '../../../../test-support/free-port.ts';
import { type ServiceProcess, serveInProcess } from '../../../../test-support/service-process.ts';
import { expectUnavailable } from '../security/behind-network.ts';

const metric = (text: string, line: RegExp): number => Number(line.exec(text)?.[1] ?? Number.NaN);

for (const workers of [1, 2]) {
  describe(`The internal port of ${workers === 1 ? 'one process' : 'several workers'}`, () => {
    const database = useTestDatabase(prepareDemo);
    const dataDir = makeFolder();
    let service: ServiceProcess;
    let ops: string;
    before(async () => {
      const port = await freePort();
      ops = `http://127.0.0.1:${port}`;
      const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir };
      service = await serveInProcess({ ...settings, OPS_PORT: String(port), WORKERS: String(workers) });
    });
    after(() => service?.end());

    it('reports that the service is alive and ready', async () => {
      for (const path of ['/livez', '/readyz']) expect((await fetch(ops + path)).status).to.equal(200);
      expect(await (await fetch(`${ops}/readyz`)).json()).to.deep.equal({
        reads: true,
        writes: true,
        clock: 'ok',
        locks: 'ok',
        hosts: 'ok',
        workers: true,
      });
      expect((await fetch(`${service.url}/readyz`)).status).to.equal(404);
    });

    it('counts the requests and logins of all processes', async () => {
      const leader = await logIn(service.url, 'leader', 'chapter-demo');
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
      expect(metric(text, /^chapter_database_connections\{state="open"\} (\d+)/m)).to.be.at.least(workers);
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

    it('does not serve the API', async () => {
      expect((await fetch(`${ops}/api/info/`)).status).to.equal(404);
    });

    it('names the process whose lock changes wait for, and they are 503', async () => {
      const leader = await logIn(service.url, 'leader', 'chapter-demo');
      const { body: user } = await leader('POST', '/api/users/', {
        username: 'held',
        password: 'a long enough secret',
      });
      const change = () => leader('PATCH', `/api/users/${user.id}`, { first_name: 'Held' });
      const holder = new Client({ connectionString: database.url, application_name: 'psql' });
      await holder.connect();
      await holder.query('begin');
      const { rows } = await holder.query<{ pid: number }>(
        'select pg_backend_pid() as pid from user_account where id = $1 for update',
        [user.id],
      );
      const pid = rows[0]?.pid;
      let isReported = false;
      const changeUntilReported = async () => {
        for (;;) {
          const response = await change();
          if (isReported) return response;
        }
      };
      const changed = changeUntilReported();
      let readiness: ResponseJson = { locks: 'ok' };
      while (readiness.locks === 'ok') readiness = await (await fetch(`${ops}/readyz`)).json();
      expect(await (await fetch(`${ops}/metrics`)).text()).to.match(/^chapter_database_lock_wait_seconds [1-9]/m);
      isReported = true;
      const locks = `requests wait for locks of database process ${pid}`;
      expect(readiness).to.deep.equal({ reads: true, writes: true, clock: 'ok', locks, hosts: 'ok', workers: true });
      expectUnavailable(await changed);
      await service.printed(`"pid":${pid},"applicationName":"psql","state":"idle in transaction"`);
      await holder.end();
      expect((await change()).status).to.equal(200);
    });

    it('loses no request when the service stops, and closes with status 0', async () => {
      const token = await accessToken(service.url, 'leader', 'chapter-demo');
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
}
