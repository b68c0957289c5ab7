import type { Runner } from '../connection/statement.ts';
import { OVERDUE } from './purge.ts';

/** What a database's server says about its load. Roles without privileges see no times of other roles' transactions. */
interface ServerLoad {
  /** How many connections roles without privileges may open, and how many of them are left. */
  readonly connections: { readonly usable: number; readonly free: number };
  /** The oldest transaction of another session in this database. */
  readonly oldest: { readonly pid: number; readonly applicationName: string; readonly seconds: number } | null;
  /** The largest division with the planner's estimate of its users; null before the first ANALYZE. */
  readonly largest: { readonly divisionId: string; readonly users: number } | null;
  /** The sizes of the 20 largest tables with their indexes, by name, as of the latest vacuum or ANALYZE of each. */
  readonly tableBytes: Readonly<Record<string, number>>;
}

/** A replica, its host and port, and why it cannot be read, or whether it is a standby and how many seconds old its latest change is; null if it has all. */
type ReplicaState = { readonly url: string; readonly name: string } & (
  | { readonly error: unknown }
  | { readonly isStandby: boolean; readonly secondsBehind: number | null }
);

// Locks no table, because it also tells who holds the locks.
const LOAD = {
  name: 'read-load',
  text: `select json_build_object('connections', json_build_object('usable', usable, 'free', usable - used), 'oldest',
    (select json_build_object('pid', pid, 'applicationName', application_name,
        'seconds', extract(epoch from clock_timestamp() - xact_start)::int)
       from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
        and xact_start is not null
      order by xact_start limit 1), 'largest',
    (select json_build_object('divisionId', (most_common_vals::text::text[])[1],
        'users', (most_common_freqs[1] * reltuples)::bigint)
       from pg_stats join pg_class on relname = tablename and relnamespace = to_regnamespace(quote_ident(schemaname))
      where pg_class.oid = to_regclass('user_account') and attname = 'division_id'), 'tableBytes',
    (select coalesce(json_object_agg(relname, pages * current_setting('block_size')::bigint), '{}')
       from (select relname, (select sum(relpages) from pg_class as part where part.oid in (stored.oid, reltoastrelid)
                or part.oid in (select indexrelid from pg_index where indrelid in (stored.oid, reltoastrelid))) as pages
               from pg_class as stored
              where relkind = 'r' and relnamespace = (select relnamespace from pg_class where oid = to_regclass('user_account'))
              order by relpages desc limit 20) as tables)),
    pg_current_wal_lsn()::text
  from (select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0) as usable,
    (select sum(numbackends)::int from pg_stat_database) as used) as connections`,
};

type LoadRow = readonly [load: ServerLoad, position: string];

/**
 * On an idle primary, the age of the latest change grows while a replica has all of them. The last column fails if the serving role
 * may not read the tables.
 */
const LAG = {
  name: 'read-lag',
  text: `select pg_is_in_recovery(), case when pg_last_wal_replay_lsn() < $1::pg_lsn then
    extract(epoch from clock_timestamp() - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time()))::int end, exists (select from audit_entry)`,
};

/** Makes the questions about a database and its replicas. */
export const makeDiagnosis = (
  runner: Runner,
  replicas: readonly { readonly url: string; readonly name: string; readonly runner: Runner }[],
) => {
  const readLoad = async (): Promise<LoadRow> => {
    const [row] = await runner.query<LoadRow>(LOAD, []);
    if (!row) throw new Error('the load has no row');
    return row;
  };
  return {
    load: async (): Promise<ServerLoad> => (await readLoad())[0],
    replicas: async (): Promise<readonly ReplicaState[]> => {
      if (replicas.length === 0) return [];
      const [, position] = await readLoad();
      const ask = async ({ name, runner: replica, url }: (typeof replicas)[number]): Promise<ReplicaState> => {
        try {
          type LagRow = readonly [isStandby: boolean, secondsBehind: number | null];
          const [[isStandby, secondsBehind] = [false, null]] = await replica.query<LagRow>(LAG, [position]);
          return { url, name, isStandby, secondsBehind };
        } catch (error) {
          return { url, name, error };
        }
      };
      return Promise.all(replicas.map(ask));
    },
    /** Returns the tables that have rows which expired more than an hour ago, separated by commas. */
    overdue: async (): Promise<string> => (await OVERDUE.run(runner, {}))[0]?.[0] ?? '',
  };
};

/** What an operator may ask about a database. No question reads more than a few rows. @throws DomainError `unavailable`. */
export type Diagnosis = Readonly<ReturnType<typeof makeDiagnosis>>;
