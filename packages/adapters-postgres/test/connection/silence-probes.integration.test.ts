import { expect } from 'chai';
import { makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { asRole } from '../../../../test-support/database.ts';
import { makePool } from '../../src/connection/pool.ts';
import { until } from '../support/until.ts';
import { useWorld } from '../support/use-world.ts';

const POOL_SIZE = 4;

describe('A database that falls silent', () => {
  const world = useWorld();

  it('is not asked by the pool while that refuses, and serves on open connections, although it has no more for the probes', async () => {
    let opened = 0;
    const network = await makeBreakableNetwork(world().plainUrl, () => {
      opened += 1;
      return { sent: () => {}, received: () => {} };
    });
    const url = await asRole(network.url, 'limited');
    const pool = makePool({ url, poolSize: POOL_SIZE, requestDeadlineMs: 1000, acquireTimeoutMs: 600 });
    const selects = (): Promise<boolean> =>
      pool.query('select').then(
        () => true,
        () => false,
      );
    await Promise.all(Array.from({ length: POOL_SIZE }, selects));
    network.hang();
    expect([await selects(), await selects()]).to.deep.equal([false, false]);
    const probed = opened + 2;
    await until(() => opened >= probed);
    expect(pool.incidents.refused).to.equal(1);
    const admin = await world().sql.connect();
    const limitTo = (count: number) =>
      admin.query(`alter database ${new URL(url).pathname.slice(1)} connection limit ${count}`);
    await limitTo(0);
    network.mend();
    await until(selects);
    await limitTo(-1);
    admin.release();
    await pool.end();
    await network.close();
  });
});
