import type { Runner } from '../connection/statement.ts';
import { OVERDUE } from './purge.ts';
import type { Diagnosis, ReplicaState, ServerLoad } from './server-state.ts';

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
 * On an idle primary, the age of the latest change grows while a replica has all of them. The last column fails if the
 * serving role may not read the tables.
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
): Diagnosis => {
  const readLoad = async (): Promise<LoadRow> => {
    const [row] = await runner.query<LoadRow>(LOAD, []);
    if (!row) throw new Error('the load has no row');
    return row;
  };
  return {
    load: async () => (await readLoad())[0],
    replicas: async () => {
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
    overdue: async () => (await OVERDUE.run(runner, {}))[0]?.[0] ?? '',
  };
};
