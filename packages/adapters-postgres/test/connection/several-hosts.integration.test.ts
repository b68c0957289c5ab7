import { expectRefusal } from '@chapter/domain/testing';
import { expect } from 'chai';
import type { Pool } from 'pg';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { hostsOf, openClient } from '../../src/connection/checked-client.ts';
import { makeKnownCluster } from '../../src/connection/known-cluster.ts';
import type { ConnectionOptions } from '../../src/connection/options.ts';
import { makePool } from '../../src/connection/pool.ts';
import { urlWithHosts } from '../support/use-primary-and-standby.ts';
import { useWorld } from '../support/use-world.ts';

describe('A database URL with several hosts', () => {
  const world = useWorld();
  const pools: Pool[] = [];
  let first: BreakableNetwork;
  let second: BreakableNetwork;

  const open = (options: Partial<ConnectionOptions> = {}): Pool => {
    const pool = makePool({ url: urlWithHosts(first, second), ...options });
    pools.push(pool);
    return pool;
  };

  beforeEach(async () => {
    [first, second] = await Promise.all([
      makeBreakableNetwork(world().plainUrl),
      makeBreakableNetwork(world().plainUrl),
    ]);
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await Promise.all([first.close(), second.close()]);
  });

  it('connects to the first usable host, and to the next one when it fails', async () => {
    const pool = open();
    await pool.query('select');
    expect([first.connections, second.connections]).to.deep.equal([1, 0]);
    first.cut();
    await pool.query('select').catch(() => {});
    await pool.query('select');
    expect([first.connections, second.connections]).to.deep.equal([0, 1]);
  });

  it('stays with the host that works, and switches back when it fails', async () => {
    const pool = open();
    first.cut();
    await pool.query('select');
    first.mend();
    const clients = await Promise.all([pool.connect(), pool.connect()]);
    for (const client of clients) client.release();
    expect([first.connections, second.connections]).to.deep.equal([0, 2]);
    second.cut();
    await Promise.all(clients.map(() => pool.query('select').catch(() => {})));
    await pool.query('select');
    expect(second.connections).to.equal(0);
  });

  it('switches to the next host only once when many connections fail together', async () => {
    first.cut();
    const pool = open();
    await Promise.all(Array.from({ length: 10 }, () => pool.query('select')));
    expect(second.connections).to.equal(10);
  });

  it('waits only a part of the acquire timeout for a silent host, then tries the next one', async () => {
    first.hang();
    const options = { url: urlWithHosts(first, second), acquireTimeoutMs: 1000 };
    expect(hostsOf(options).map(({ timeoutMs }) => timeoutMs)).to.deep.equal([500, 500]);
    await open(options).query('select');
    expect(second.connections).to.equal(1);
    const client = await openClient(options);
    await client.query('select');
    await client.end();
  });

  it('reports for each host why it cannot be used', async () => {
    first.cut();
    second.cut();
    const options = { url: urlWithHosts(first, second) };
    for (const attempt of [() => open().query('select'), () => openClient(options)]) {
      const { cause } = await expectRefusal('unavailable', attempt());
      expect(cause).to.be.instanceOf(AggregateError);
      const { errors } = cause as AggregateError;
      expect(errors.map(({ message }: Error) => message)).to.deep.equal(
        [first, second].map(({ url }) => new URL(url).host),
      );
      for (const error of errors) expect(error).to.have.nested.property('cause.code', 'unavailable');
    }
  });

  for (const { leftMs, tried, title } of [
    { leftMs: 3, tried: 2, title: 'tries the next host before the deadline' },
    { leftMs: 2, tried: 1, title: 'tries no other host when the deadline is closer than the precision of timers' },
    { leftMs: 0, tried: 1, title: 'tries no other host after the deadline' },
  ]) {
    it(title, async () => {
      first.cut();
      second.cut();
      const acquireTimeoutMs = 60_000;
      // The first reading is that of the start.
      const readings = [0];
      const pool = makePool(
        { url: urlWithHosts(first, second), acquireTimeoutMs },
        () => readings.pop() ?? acquireTimeoutMs - leftMs,
      );
      pools.push(pool);
      const { cause } = await expectRefusal('unavailable', pool.query('select'));
      const causes = (cause as AggregateError).errors.map((error: Error) => error.cause);
      expect([causes.filter(Boolean).length, pool.incidents.unconnected]).to.deep.equal([tried, 1]);
    });
  }

  it('does not try another host while all connections of the pool are in use', async () => {
    const pool = open({ poolSize: 1 });
    const client = await pool.connect();
    // Set after connecting, because the timeout of a host derives from the same option.
    pool.options.connectionTimeoutMillis = 50;
    await pool.connect().then(
      () => expect.fail('connected'),
      (error: Error) => expect(error.message).to.contain('timeout exceeded'),
    );
    client.release();
    expect([first.connections, second.connections]).to.deep.equal([1, 0]);
  });

  it('knows the open connections to the primary, with its timeline, and no others', async () => {
    const cluster = makeKnownCluster();
    const pool = open({ cluster });
    await pool.query('select');
    expect(cluster.connections.size).to.equal(1);
    for (const { server } of cluster.connections) expect(server?.timeline).to.be.at.least(1);
    first.cut();
    await pool.query('select').catch(() => {});
    await pool.query('select');
    expect(cluster.connections.size).to.equal(1);
  });

  it('works again when a host recovers after all had failed', async () => {
    const pool = open();
    first.cut();
    second.cut();
    await expectRefusal('unavailable', pool.query('select'));
    second.mend();
    await pool.query('select');
    expect(second.connections).to.equal(1);
  });
});
