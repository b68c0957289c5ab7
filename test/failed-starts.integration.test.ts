import { existsSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { hasPgbouncer, startPgbouncer } from '../test-support/pgbouncer.ts';
import { copyAsStandby, initCluster, startCluster } from '../test-support/postgres/embedded.ts';
import { skip } from '../test-support/skip.ts';

describe('A server of the tests that does not start', () => {
  it('is reported with its output and the last connection error if it ends', async () => {
    const error: unknown = await startCluster(initCluster(), { max_connections: 'many' }).catch(String);
    expect(error).to.match(
      /^Error: The embedded PostgreSQL ended during its start \(.*ECONNREFUSED.*\)\. Its output:\n.*many/s,
    );
  });

  it('is reported after the time limit if it accepts no connection', async () => {
    const primary = initCluster();
    // A standby that rejects all connections: hot_standby is off, and there is no primary to follow.
    const standby = copyAsStandby(primary);
    rmSync(primary.dir, { recursive: true });
    const error: unknown = await startCluster(standby, { hot_standby: 'off' }, 500).catch(String);
    expect(error).to.match(/^Error: The embedded PostgreSQL accepted no connection within 0\.5 s \(/);
    expect(existsSync(standby.dir)).to.equal(false);
  });

  it('is reported if it is pgbouncer without a database', async function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
    const error: unknown = await startPgbouncer('postgresql://u:p@127.0.0.1:1/d', {}, undefined, 500).catch(String);
    expect(error).to.match(/^Error: pgbouncer connected no client within 0\.5 s \(/);
  });

  it('is reported if it is pgbouncer that ends', async function () {
    if (!hasPgbouncer()) skip(this, 'pgbouncer is not installed');
    const error: unknown = await startPgbouncer('postgresql://u:p@127.0.0.1:1/d', { pool_mode: 'none' }).catch(String);
    expect(error).to.match(/^Error: pgbouncer ended during its start \(/);
  });
});
