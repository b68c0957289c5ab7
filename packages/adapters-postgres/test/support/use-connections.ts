import type { Pool } from 'pg';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import type { ConnectionOptions } from '../../src/connection/options.ts';
import { type HostPool, makePool } from '../../src/connection/pool.ts';
import { useWorld } from './use-world.ts';

/** Sets up a database behind a network that can break, and returns functions that open and look into pools of connections. */
export const useConnections = () => {
  const world = useWorld();
  const pools: Pool[] = [];
  let network: BreakableNetwork;
  const alter = async (setting: string): Promise<void> => {
    const { sql, plainUrl } = world();
    await sql.query(`alter database ${new URL(plainUrl).pathname.slice(1)} ${setting}`);
  };
  beforeEach(async () => {
    network = await makeBreakableNetwork(world().plainUrl);
  });
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await network.close();
    await alter('reset all');
  });
  return {
    world,
    network: (): BreakableNetwork => network,
    /** Changes a setting of the database until the test ends. */
    alter,
    /** Opens a pool of one connection through the network, unless the options say otherwise. */
    open: (options: Partial<ConnectionOptions> = {}): HostPool => {
      const pool = makePool({ url: network.url, poolSize: 1, ...options });
      pools.push(pool);
      return pool;
    },
    /** Returns the process of the server that a connection of the pool leads to. */
    backendOf: async (pool: Pool): Promise<unknown> =>
      (await pool.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid,
  };
};
