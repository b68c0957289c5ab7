import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { query } from '../../../../test-support/query.ts';
import { testSettings } from '../../../../test-support/service-process.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { bringUpToDate } from '../../src/database/change-schema.ts';
import { openDatabase } from '../../src/database/open-database.ts';
import { startWorkers, type WorkerStart } from '../../src/serve/workers.ts';

/** JavaScript that blocks the event loop forever without using the processor. */
const BLOCKING_CODE = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
/** Node option that makes a worker send the names of its environment variables, and block its event loop at SIGUSR2. */
const OBSERVABLE = `--import data:text/javascript,${encodeURIComponent(
  `process.send({ variables: Object.keys(process.env) }); process.on('SIGUSR2', () => ${BLOCKING_CODE})`,
)}`;
/** Environment variables of the primary process while it starts the workers. */
const VARIABLES = { NODE_OPTIONS: OBSERVABLE, OWNER_DATABASE_URL: 'secret', OWNER_DATABASE_URL_FILE: 'file' };

const POLL_MS = 20;

describe('Workers', () => {
  const database = useTestDatabase(async (url) => {
    const config = readConfig({ ...testSettings, DATABASE_URL: url, MIGRATE_ON_START: 'true' }, 'command');
    const opened = await openDatabase(config);
    await bringUpToDate(opened, config);
    await opened.close();
  });
  const dataDir = makeFolder();
  const logged: string[] = [];
  const sent: WorkerStart[] = [];
  const inherited: (readonly string[])[] = [];
  /** How many workers have begun to serve. */
  let [served, replaced] = [0, 0];
  const collect = (_: Worker, message: { readonly variables?: readonly string[]; readonly at?: unknown }): void => {
    if (message.variables) inherited.push(message.variables);
    if (message.at) served += 1;
  };
  let workers: Awaited<ReturnType<typeof startWorkers>>;
  const pids = (): readonly number[] =>
    Object.values(cluster.workers ?? {}).flatMap((worker) => worker?.process.pid ?? []);
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!isTrue()) await sleep(POLL_MS);
  };

  before(async () => {
    const config: Config = readConfig({
      ...testSettings,
      DATABASE_URL: database.url,
      OWNER_DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      WORKERS: '2',
      LOG_LEVEL: 'fatal',
    });
    const log = pino(
      { base: null },
      {
        write: (line: string) => {
          const { fault, msg, status } = JSON.parse(line);
          logged.push([msg, ...[fault ?? status ?? []].flat()].join(': '));
        },
      },
    );
    const environment = { ...process.env };
    Object.assign(process.env, VARIABLES);
    cluster.on('message', collect);
    const send: Worker['send'] = Reflect.get(cluster.Worker.prototype, 'send');
    cluster.Worker.prototype.send = function (this: Worker, message: WorkerStart) {
      sent.push(message);
      return send.call(this, message, undefined);
    };
    try {
      workers = await startWorkers(config, [], log, () => (replaced += 1), {
        heartbeatMs: 200,
        silentAfterMs: 1000,
        startMs: 3_600_000,
        blockedAfterMs: 6000,
        restartMs: 100,
        longestRestartMs: 200,
        steadyAfterMs: 3_600_000,
      });
    } finally {
      cluster.Worker.prototype.send = send;
      for (const name of Object.keys(VARIABLES)) delete process.env[name];
      Object.assign(process.env, environment);
    }
  });
  after(async () => {
    await workers.stop();
    cluster.off('message', collect);
  });

  it('do not get the URL of the owner', () => {
    expect(sent.map(({ config }) => config.database.ownerUrl)).to.deep.equal([null, null]);
    expect(sent.map(({ config }) => config.database.url)).to.deep.equal([database.url, database.url]);
    const given = inherited.map((names) => Object.keys(VARIABLES).filter((name) => names.includes(name)));
    expect(given).to.deep.equal([['NODE_OPTIONS'], ['NODE_OPTIONS']]);
  });

  it('get the key of their instance, so that they share its limit of exports', () => {
    const [key, otherKey] = sent.map(({ config }) => config.database.instanceKey);
    expect(key).to.be.a('number').and.equal(otherKey);
  });

  it('stay ready while one has a blocked event loop or is dead, and replace it', async () => {
    const [blocked = 0, other = 0] = pids();
    const keysFile = join(dataDir, 'keys.json');
    renameSync(keysFile, `${keysFile}.kept`);
    writeFileSync(keysFile, '{}');
    // Unlike SIGUSR2, it stops the worker before it can accept one of the connections.
    process.kill(blocked, 'SIGSTOP');
    const { host, port } = workers.at;
    const keys = () => fetch(`http://${host}:${port}/api/auth/keys/`, { headers: { Connection: 'close' } });
    const responses = Promise.all([keys(), keys(), keys(), keys()]);
    await until(() => {
      expect(workers.areReady()).to.equal(true);
      return logged.length === 2;
    });
    expect((await responses).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    expect(workers.areReady()).to.equal(true);
    await until(() => replaced === 2);
    renameSync(`${keysFile}.kept`, keysFile);
    await until(() => pids().length === 2);
    expect(pids()).to.include(other).and.not.include(blocked);
    expect(logged).to.have.members([
      'a worker does not respond and is killed',
      'a worker has died and is replaced',
      `a worker cannot serve: Cannot read signing keys from ${keysFile}: it is not a JWK set ({ "keys": [ … ] }).`,
      'a worker has died and is replaced: 1',
    ]);
  });

  it('report a write that the database refuses because its disk is full', async () => {
    await until(workers.areReady);
    expect(workers.acceptsWrites()).to.equal(true);
    await query(
      database.url,
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create trigger refuse before insert on login_limit execute function refuse()`,
    );
    const { host, port } = workers.at;
    const { status } = await fetch(`http://${host}:${port}/api/auth/login/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password: 'a long enough secret' }),
    });
    expect(status).to.equal(503);
    await until(() => !workers.acceptsWrites());
    await query(database.url, 'drop function refuse cascade');
  });

  it('are not ready while none responds', async () => {
    await until(() => served === 3);
    for (const pid of pids()) process.kill(pid, 'SIGUSR2');
    await until(() => !workers.areReady());
    await until(workers.areReady);
  });

  it('do not report a replacement that ends while they stop', async () => {
    await until(() => served === 5);
    const [killed = 0] = pids();
    process.kill(killed, 'SIGKILL');
    await until(() => pids().length === 2 && !pids().includes(killed));
    const before = logged.length;
    const stopped = workers.stop();
    Object.values(cluster.workers ?? {})
      .at(-1)
      ?.process.kill('SIGKILL');
    await stopped;
    expect(logged.slice(before)).to.deep.equal([]);
  });

  it('are not started while their port is in use', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const PORT = String((busy.address() as AddressInfo).port);
    const config = readConfig({ ...testSettings, DATABASE_URL: database.url, WORKERS: '2', PORT });
    const outcome = await startWorkers(config, [], pino({ enabled: false }), () => {}).catch(String);
    expect(outcome).to.match(/^OperatorError: Cannot listen .*: the port is in use; set PORT to another port\.$/);
    busy.close();
  });
});
