import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { DEMO_IDS } from '../packages/app/src/database/demo-data.ts';
import { call } from '../packages/app/test/cli/call.ts';
import { useTestDatabase } from '../test-support/database.ts';
import { prepareDemo } from '../test-support/demo-database.ts';
import { makeFolder } from '../test-support/folders.ts';
import { freePort } from '../test-support/free-port.ts';
import { env, isInstalled } from '../test-support/installed.ts';
import { spawn } from '../test-support/processes.ts';
import { reportCount } from '../test-support/proof/report.ts';
import { query } from '../test-support/query.ts';
import { installReleaseOrSkip } from '../test-support/release.ts';
import { type ServiceProcess, serveInProcess } from '../test-support/service-process.ts';
import { skip } from '../test-support/skip.ts';
import { startLoad } from '../test-support/steady-load.ts';

/** In CI as many members as the contract's largest examples; elsewhere fewer, because inserting them takes most of the time. */
const MEMBERS = process.env['CI'] ? 100_000 : 10_000;
/** The last migration of release 0.1.0. */
const LAST_OF_0_1_0 = '0003-pages-in-an-index';

describe(`An upgrade from release 0.1.0 under load, with ${MEMBERS} members`, () => {
  const database = useTestDatabase(prepareDemo);
  const dataDir = makeFolder();
  const services: ServiceProcess[] = [];
  let release: string;

  const start = async (isPresent: boolean): Promise<ServiceProcess> => {
    // A migration holds locks for as long as it builds an index, which takes longer on a slow machine.
    const url = new URL(database.url);
    url.searchParams.set('statement_timeout', '600000');
    const settings = {
      DATA_DIR: dataDir,
      DATABASE_URL: url.href,
      ACCESS_TOKEN_TTL: '86400',
      MIGRATE_ON_START: 'false',
    };
    const main = isPresent ? undefined : relative(process.cwd(), join(release, 'packages/app/src/main.ts'));
    const service = await serveInProcess({ ...settings, CHANGES_PER_HOUR: '0' }, main);
    services.push(service);
    return service;
  };
  const migrate = async (...args: readonly string[]): Promise<void> => {
    const variables = { DATABASE_URL: database.url };
    expect(await call(['migrate', ...args], { variables })).to.include({ status: 0 });
  };

  before('store the members in the schema of release 0.1.0, and install it', async function () {
    release = installReleaseOrSkip(this, '0.1.0');
    await migrate('--to', LAST_OF_0_1_0);
    await query(
      database.url,
      `insert into user_account (id, username, username_key, first_name, first_name_key, last_name, last_name_key,
          division_id, groups, is_active, is_staff, is_superuser, date_joined, version)
        select gen_random_uuid(), 'member' || n, 'member' || n, 'Name ' || n, 'name ' || n, '', '',
          '${DEMO_IDS.divisions.North}', '{User}', true, false, false, now(), 1
          from generate_series(1, ${MEMBERS}) n`,
    );
    await query(database.url, 'vacuum analyze');
  });
  after(() => Promise.all(services.map(({ end }) => end())));

  it('and back fails no request and loses no change: first the instances, then the schema', async () => {
    const old = [await start(false), await start(false)] as const;
    const load = await startLoad(old[0].url, old[1].url);
    await migrate();
    const present = [await start(true), await start(true)] as const;
    await load.rotate(old[1].url, present[0].url);
    await load.rotate(present[0].url, present[1].url);
    await Promise.all(old.map(({ end }) => end()));

    const again = [await start(false), await start(false)] as const;
    await load.rotate(present[1].url, again[0].url);
    await load.rotate(again[0].url, again[1].url);
    await Promise.all(present.map(({ end }) => end()));
    await migrate('--to', LAST_OF_0_1_0);
    await load.step();
    const { requests, longestSeconds } = await load.stop();

    expect(load.failures).to.deep.equal([]);
    const stored = `select username, last_name from user_account where username like 'load-%'`;
    const rows = await query(database.url, stored);
    expect(new Map(rows.map(({ username, last_name }) => [username, last_name]))).to.deep.equal(load.acknowledged);
    const during = `requests during an upgrade and back with ${MEMBERS} members, 0 failed`;
    reportCount(requests, `${during}; the longest took ${longestSeconds} s`, 100);
  });
});

describe('A rolling restart behind a haproxy that does not retry', () => {
  const database = useTestDatabase(prepareDemo);
  const [folder, dataDir] = [makeFolder(), makeFolder()];
  const instances: { readonly name: string; readonly PORT: string; readonly OPS_PORT: string }[] = [];
  const services = new Map<string, ServiceProcess>();
  let haproxy: ChildProcess;
  let url: string;

  const start = async ({ name, ...ports }: (typeof instances)[number]): Promise<void> => {
    // So long that only haproxy decides when the instance has left the rotation.
    const settings = { ...ports, DATABASE_URL: database.url, DATA_DIR: dataDir, SHUTDOWN_DELAY: '300' };
    services.set(name, await serveInProcess({ ...settings, CHANGES_PER_HOUR: '0' }));
  };
  /** Waits until haproxy has an instance in this state, and no request runs on one that is down. */
  const untilState = async (name: string, state: 'UP' | 'DOWN'): Promise<void> => {
    const row = new RegExp(`^chapter_api,${name},\\d+,\\d+,(\\d+),.*,${state},`, 'm');
    for (;;) {
      const stats = await (await fetch(`${url}/stats;csv`)).text();
      const [, sessions] = row.exec(stats) ?? [];
      if (sessions !== undefined && (state === 'UP' || sessions === '0')) return;
      await sleep(50);
    }
  };

  before('start haproxy and two instances', async function () {
    if (!isInstalled('haproxy', '-v')) skip(this, 'haproxy is not installed');
    for (const name of ['api1', 'api2']) {
      instances.push({ name, PORT: String(await freePort()), OPS_PORT: String(await freePort()) });
    }
    for (const instance of instances) await start(instance);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const servers = instances.map((one) => `server ${one.name} 127.0.0.1:${one.PORT} check port ${one.OPS_PORT}`);
    const configuration = [
      'defaults',
      'mode http',
      'retries 0',
      'timeout connect 60s',
      // Otherwise, a check would have to finish within 200 ms.
      'timeout check 60s',
      'timeout client 600s',
      'timeout server 600s',
      'backend chapter_api',
      'option httpchk GET /readyz',
      'default-server inter 200ms fall 2',
      ...servers,
      'frontend public',
      `bind 127.0.0.1:${port}`,
      'stats enable',
      'stats uri /stats',
      'default_backend chapter_api',
    ];
    writeFileSync(join(folder, 'haproxy.cfg'), `${configuration.join('\n')}\n`);
    haproxy = spawn('haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], { env, stdio: 'ignore' });
    while (!(await fetch(`${url}/stats;csv`).catch(() => undefined))?.ok) await sleep(50);
    for (const { name } of instances) await untilState(name, 'UP');
  });
  after(async () => {
    await Promise.all([...services.values()].map(({ end }) => end('SIGKILL')));
    haproxy?.kill();
  });

  it('fails no request if the shutdown delay lasts until haproxy has noticed', async () => {
    const load = await startLoad(url);
    for (const instance of instances) {
      const service = services.get(instance.name);
      const ended = service?.end();
      await untilState(instance.name, 'DOWN');
      await load.step();
      // The second signal ends the delay.
      await service?.end();
      await ended;
      await start(instance);
      await untilState(instance.name, 'UP');
      await load.step();
    }
    await load.stop();
    expect(load.failures).to.deep.equal([]);
  });
});
