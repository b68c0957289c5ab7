import {
  type Blocker,
  type Clock,
  type DatabaseHealth,
  HEALTH_CHECK_TIMEOUT_MS,
  isDomainError,
  unavailable,
} from '@chapter/domain/ports';
import type { Pool, PoolClient } from 'pg';
import { translateError } from '../connection/errors.ts';
import { streamOf } from '../connection/silence.ts';
import { type Runner, runOn } from '../connection/statement.ts';
import type { RunTransaction, Transaction } from '../connection/transaction.ts';
import { MIGRATION_TABLE, MIGRATIONS } from '../schema/migrations/index.ts';

/** Milliseconds for which a refused write counts, unless a later transaction writes. */
const REFUSAL_LIFETIME_MS = 60_000;

/** SQLSTATEs of a database that refuses writes: read-only, or disk full. */
const REFUSED_WRITE = /SQLSTATE (25006|53100)/;
const READ_ONLY_SQL_TRANSACTION = '25006';

const refusalOf = (error: unknown): string | undefined =>
  isDomainError(error) ? REFUSED_WRITE.exec(String(error.cause))?.[1] : undefined;

/** Remembers the outcome of the latest write: only a write shows if the disk is full. `now` returns milliseconds. */
export const makeWriteOutcomes = (now: () => number = () => performance.now()) => {
  let refusal: { readonly sqlState: string; readonly at: number } | undefined;
  const onError = (error: unknown): never => {
    const sqlState = refusalOf(error);
    if (sqlState !== undefined) refusal = { sqlState, at: now() };
    throw error;
  };
  const isReadOnly = (): boolean => refusal?.sqlState === READ_ONLY_SQL_TRANSACTION;
  return {
    /**
     * False if the latest write was refused because the database is read-only or full. A refusal counts for at most a
     * minute, so that a database with few writes does not stay marked.
     */
    acceptsWrites: () => refusal === undefined || now() - refusal.at >= REFUSAL_LIFETIME_MS,
    isReadOnly,
    /** Forgets that the database was read-only, as a session that began later is not. The disk may still be full. */
    onWritableSession: (): void => {
      if (isReadOnly()) refusal = undefined;
    },
    watchTransactions:
      (runTransaction: RunTransaction): RunTransaction =>
      async (work) => {
        let hasWritten = false;
        const watched = (tx: Transaction) =>
          work({
            query: (statement, values) => {
              hasWritten ||= statement.isReadOnly !== true;
              return tx.query(statement, values);
            },
            send: (statement, values) => {
              hasWritten = true;
              tx.send(statement, values);
            },
          });
        const result = await runTransaction(watched).catch(onError);
        if (hasWritten) refusal = undefined;
        return result;
      },
    /** Observes only refusals: a statement that succeeds has not necessarily written. */
    watchStatements: (runner: Runner): Runner => ({
      query: (statement, values) => runner.query<never>(statement, values).catch(onError),
    }),
  };
};

/** Observes the outcomes of writes. */
export type WriteOutcomes = ReturnType<typeof makeWriteOutcomes>;

/**
 * Selects the blockers of transactions that wait for locks with the role of the service. A process that waits itself is
 * no blocker, but the one that it waits for is. An instance that waits for the migration lock, the only awaited
 * advisory lock with a positive key, delays no request.
 */
const BLOCKERS = `with recursive waiting as materialized (
    select l.pid, extract(epoch from clock_timestamp() - min(l.waitstart)) as seconds
      from pg_locks l join pg_stat_activity a using (pid)
     where not l.granted and a.datname = current_database() and a.usename = session_user
       and not (l.locktype = 'advisory' and l.classid::bigint < 2147483648)
     group by l.pid
  ), chain as (
    select unnest(pg_blocking_pids(pid)) as pid from waiting where seconds > 1
     union
    select unnest(pg_blocking_pids(pid)) from chain
  )
  select coalesce(json_agg(json_build_object('pid', c.pid, 'applicationName', a.application_name, 'state', a.state,
      'transactionSeconds', extract(epoch from clock_timestamp() - a.xact_start)::int,
      'waitSeconds', (select max(seconds)::int from waiting))), '[]')
    from chain c left join pg_stat_activity a using (pid) where pg_blocking_pids(c.pid) = '{}'`;

const CHECK = {
  name: 'check-health',
  text: `select pg_is_in_recovery(), current_setting('transaction_read_only')::boolean,
    (extract(epoch from now()) * 1000)::float8,
    (select count(*)::int from "${MIGRATION_TABLE}" where name = any($1::text[])), (${BLOCKERS})`,
};

type HealthRow = readonly [
  isInRecovery: boolean,
  isReadOnly: boolean,
  now: number,
  applied: number,
  blockers: readonly Blocker[],
];

/**
 * Returns a connection. After a write was refused as read-only it is a new one, because a changed setting of the
 * database or the role applies only to new sessions.
 */
const connect = async (pool: Pool, { isReadOnly }: WriteOutcomes): Promise<PoolClient> => {
  if (isReadOnly()) (await pool.connect()).release(true);
  return pool.connect();
};

const check = async (client: PoolClient, clock: Clock, outcomes: WriteOutcomes): Promise<DatabaseHealth> => {
  try {
    const sent = Date.parse(clock.now());
    const [row] = await runOn<HealthRow>(client, CHECK, [MIGRATIONS]);
    const received = Date.parse(clock.now());
    if (!row) throw new Error('the health check returned no row');
    const [isInRecovery, isReadOnly, databaseNow, applied, blockers] = row;
    client.release(isReadOnly);
    if (!isReadOnly) outcomes.onWritableSession();
    const reads = !isInRecovery && applied === MIGRATIONS.length;
    return {
      reads,
      writes: reads && !isReadOnly && outcomes.acceptsWrites(),
      blockers,
      clockDifferenceMs: databaseNow - (sent + received) / 2,
    };
  } catch (error) {
    client.release(true);
    throw error;
  }
};

/**
 * Returns a function that checks the database with one statement. The clock difference assumes that the database's
 * `now()` is in the middle of the round trip. The function throws DomainError `unavailable` if the response takes too
 * long. `pool` has one connection, used only for checks, so that a check never waits for the service's connections.
 */
export const makeHealth =
  (pool: Pool, clock: Clock, outcomes: WriteOutcomes): (() => Promise<DatabaseHealth>) =>
  async () => {
    const connecting = connect(pool, outcomes);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      reject(unavailable(new Error(`the health check took longer than ${HEALTH_CHECK_TIMEOUT_MS} ms`)));
      connecting.then(
        (client) => streamOf(client).destroy(),
        () => {},
      );
    }, HEALTH_CHECK_TIMEOUT_MS);
    try {
      return await Promise.race([connecting.then((client) => check(client, clock, outcomes)), late]);
    } catch (error) {
      throw translateError(error);
    } finally {
      clearTimeout(timer);
    }
  };
