/** What a server reports about its cluster. */
export interface ServerIdentity {
  readonly is_standby: boolean;
  /** The same on all servers of a cluster, also on copies of its files. */
  readonly system: string;
  /** The timeline that a primary writes; 0 on a standby. Each promotion begins a timeline with a higher number. */
  readonly timeline: number;
}

/**
 * Columns of a {@link ServerIdentity}. The control file names an old timeline until the first checkpoint after a
 * promotion, so this is the one in the name of the current file of the write-ahead log.
 */
export const IDENTITY = `pg_is_in_recovery() as is_standby,
  (select system_identifier::text from pg_control_system()) as system,
  case when pg_is_in_recovery() then 0
    else ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int end as timeline`;

/** A connection to a server of the cluster. */
export interface ClusterConnection {
  /** The server as of the latest check. */
  readonly server: ServerIdentity | undefined;
  /** Closes the connection; `reason` is a clause in which "it" is the server. */
  readonly closeBecause: (reason: string) => void;
}

/** Makes the knowledge about a cluster of which nothing is known yet. */
export const makeKnownCluster = () => {
  let primary: ServerIdentity | undefined;
  /** Open connections to the primary. They are closed when another host turns out to be the primary. */
  const connections = new Set<ClusterConnection>();
  /** Returns why a primary must not be used, as a clause in which "it" is the server; undefined if it may. */
  const faultOf = ({ is_standby, system, timeline }: ServerIdentity): string | undefined => {
    if (!primary || is_standby) return undefined;
    if (system !== primary.system) {
      return `it belongs to another cluster: its system identifier is ${system}, that of the other hosts ${primary.system}`;
    }
    return timeline < primary.timeline
      ? `it left its cluster: it is a primary on timeline ${timeline}, and another host was promoted to timeline ${primary.timeline}`
      : undefined;
  };
  return {
    connections,
    faultOf,
    /** Remembers the primary with the highest timeline. The first primary decides which cluster it is. */
    learn: (server: ServerIdentity): void => {
      if (server.is_standby || faultOf(server) !== undefined || server.timeline === primary?.timeline) return;
      primary = server;
      for (const connection of connections) {
        const reason = connection.server && faultOf(connection.server);
        if (reason !== undefined) connection.closeBecause(reason);
      }
    },
  };
};

/** What this process has learned about the cluster of a URL with several hosts. See ADR 29. */
export type KnownCluster = ReturnType<typeof makeKnownCluster>;
