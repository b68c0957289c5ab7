import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { startPurging } from '../../src/serve/service.ts';
import { makeInstanceMetrics } from '../../src/serve/telemetry.ts';

const INTERVAL_MS = 10 * 60 * 1000;

describe('The periodic purge', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  let purges: number;

  /** Purges twice and returns the lines of the log. */
  const linesOf = async (failures: Readonly<Record<string, string>>) => {
    const lines: string[] = [];
    purges = 0;
    const log = pino({ level: 'debug', base: null, timestamp: false }, { write: (line) => lines.push(line) });
    const purge = async () => ({ deleted: { session: 2 }, failures });
    const stop = startPurging({ purge }, log, () => void (purges += 1));
    mock.timers.tick(2 * INTERVAL_MS);
    await stop();
    return lines.map((line): unknown => JSON.parse(line));
  };

  it('logs how many rows of each table it deleted, every ten minutes', async () => {
    const line = { level: 20, deleted: { session: 2 }, msg: 'expired rows deleted' };
    expect(await linesOf({})).to.deep.equal([line, line]);
    expect(purges).to.equal(2);
  });

  it('names the tables that failed in one line, and continues', async () => {
    const failures = { session: 'refused', login_limit: 'refused too' };
    const msg = 'cannot delete expired rows of session, login_limit; the next purge tries again';
    const lines = await linesOf(failures);
    expect(lines).to.have.length(4);
    expect(purges).to.equal(0);
    expect(lines[3]).to.deep.equal({ level: 40, failures, msg });
  });
});

it('The metrics of an instance lack what cannot be read', async () => {
  const fail = () => Promise.reject(new Error('unavailable'));
  const database = { health: fail, diagnosis: { load: fail, replicas: fail, overdue: fail } };
  const text = await makeInstanceMetrics(database, 'absent/keys.json').addTo(new Registry()).metrics();
  expect(text)
    .to.match(/^chapter_worker_restarts_total 0$/m)
    .and.not.match(/^chapter_(?:database|key)/m);
});

it('The metrics of an instance contain the tables, replicas and waits that exist now', async () => {
  const sizes = [{ old: 1 }, { renamed: 2 }];
  const load = async () => ({ oldest: null, tableBytes: sizes.shift() ?? {} });
  const [lagging, current] = [
    { name: 'a:1', isStandby: true, secondsBehind: 7 },
    { name: 'b:2', isStandby: true },
  ];
  const replicas = async () => [lagging, current, { name: 'c:3', isStandby: false }, { name: 'd:4', error: 'down' }];
  const health = async () => ({ blockers: [{ waitSeconds: 7 }, { waitSeconds: 2 }], clockDifferenceMs: 0 });
  const database = { health, diagnosis: { load, replicas } };
  const { metrics } = makeInstanceMetrics(database as never, 'absent/keys.json').addTo(new Registry());
  const text = await metrics();
  expect(text)
    .to.include('{table="old"} 1')
    .and.match(/^chapter_database_lock_wait_seconds 7$/m);
  expect(
    text.match(/^chapter_replica_lag.*/gm)?.map((line) => line.replace('chapter_replica_lag_seconds', '')),
  ).to.deep.equal(['{server="a:1"} 7', '{server="b:2"} 0']);
  expect(await metrics())
    .to.include('{table="renamed"} 2')
    .and.not.include('"old"');
});

it('The metrics of an instance keep the lag of replicas while another request reads it', async () => {
  const answers = [Promise.resolve([{ name: 'a:1', isStandby: true }]), new Promise(() => {})];
  const database = { health: () => turn(), diagnosis: { load: () => turn(), replicas: () => answers.shift() } };
  const { metrics } = makeInstanceMetrics(database as never, 'absent/keys.json').addTo(new Registry());
  void turn().then(metrics);
  expect(await metrics()).to.include('{server="a:1"} 0');
});
