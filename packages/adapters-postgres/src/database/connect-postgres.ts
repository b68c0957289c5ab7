import type { Ports } from '@chapter/domain';
import {
  type ActorDirectory,
  type AuditLog,
  type Clock,
  type DatabaseHealth,
  type FairQueue,
  HEALTH_CHECK_TIMEOUT_MS,
  type IdGenerator,
  makeFairQueue,
  type PurgeResult,
} from '@chapter/domain/ports';
import { makeAuditLog } from '../audit/audit-log.ts';
import { makeRecordAction, makeWriteAudit } from '../audit/audit-writer.ts';
import { makeChangeFeed } from '../audit/change-feed.ts';
import { makeExportInBulk } from '../bulk/bulk-export.ts';
import type { ExportInBulk, LoadInBulk } from '../bulk/bulk-load.ts';
import { makeLoadInBulk } from '../bulk/open-load.ts';
import { openClient } from '../connection/checked-client.ts';
import { translated } from '../connection/errors.ts';
import { type ConnectionOptions, LIFT_TIME_LIMITS, WAIT_FOR_LOCKS } from '../connection/options.ts';
import { makePool } from '../connection/pool.ts';
import { watchPrimary } from '../connection/primary-watch.ts';
import { runnerOn } from '../connection/runner.ts';
import { runOn } from '../connection/statement.ts';
import { traceStatements, traceTransactions } from '../connection/traced.ts';
import {
  ALONE,
  makeRunTransaction,
  makeWriteQueue,
  READING,
  type RunTransaction,
  timers,
} from '../connection/transaction.ts';
import { makeUnpooledClients } from '../connection/unpooled-clients.ts';
import { hostOf } from '../database-url/index.ts';
import { makeDivisionRepository } from '../divisions/division-repository.ts';
import { makeListExports, makeRecordExport } from '../exports/list-exports.ts';
import { makeConflictLimits, makeLoginLimits } from '../limits/login-limits.ts';
import { makeReadPage, onlyFrom } from '../lists/read-page.ts';
import { readFromReplicas } from '../lists/replicas.ts';
import { makeErasure } from '../personal-data/erasure.ts';
import { makePersonalData } from '../personal-data/personal-data.ts';
import { makeMigrations } from '../schema/migrator.ts';
import type { Migrations } from '../schema/schema-status.ts';
import { makeNoteUse, makePersonalTokens } from '../sessions/personal-tokens.ts';
import { makeSessionRepository } from '../sessions/session-repository.ts';
import { makeSwap } from '../users/compare-and-swap.ts';
import { makeCredentialStore } from '../users/credential-store.ts';
import { makePasswordLinks } from '../users/password-links.ts';
import { makeUserDirectory } from '../users/user-directory.ts';
import { makeUserLookUps } from '../users/user-look-ups.ts';
import { makeUserRepository } from '../users/user-repository.ts';
import { makeDiagnosis } from './diagnosis.ts';
import { makeHealth, makeWriteOutcomes } from './health.ts';
import { makePurge } from './purge.ts';
import type { Diagnosis } from './server-state.ts';

/** Makes transactions whose statements have no time limits, each on its own connection. */
const makeLongTransactions =
  (options: ConnectionOptions): RunTransaction =>
  async (work) => {
    const pool = makePool({ ...options, poolSize: 1, allowsSilence: true });
    try {
      return await makeRunTransaction(pool)(async (tx) => {
        for (const text of [LIFT_TIME_LIMITS, WAIT_FOR_LOCKS]) await tx.query({ text, isReadOnly: true }, []);
        return work(tx);
      });
    } finally {
      await pool.end();
    }
  };

/** Options of the connection to a database, and the other dependencies of the adapters. */
export interface PostgresOptions extends ConnectionOptions {
  /** Replicas for lists of users and counts, each used only while it has all changes that a list can show. */
  readonly replicaUrls?: readonly string[];
  /**
   * The same number in all processes of an instance, so that they share the limit of open exports. Without it, each
   * {@link Database} has its own limit.
   */
  readonly instanceKey?: number;
  /** Gives the time of recorded changes. Expiry follows the database's clock. */
  readonly clock: Clock;
  /** Makes the ids of audit entries. */
  readonly ids: IdGenerator;
}

const USERNAME_LIMITS = { maxRunning: Number.POSITIVE_INFINITY, maxPerKey: [1], maxWaiting: 1000 };

/** The current numbers of connections in the pool. */
export interface PoolUse {
  readonly open: number;
  readonly idle: number;
  /** How many callers wait for a connection; statements that will share a connection count once. */
  readonly waiting: number;
}

/**
 * The persistence ports of the domain on PostgreSQL. Every method throws DomainError `unavailable` if the database is
 * unreachable or no connection is free in time, and works again after the outage. `erasure` works only with the URL of
 * the role that owns the tables.
 */
export interface Database
  extends Pick<
      Ports,
      'users' | 'divisions' | 'credentials' | 'sessions' | 'passwordLinks' | 'personalTokens' | 'directory'
    >,
    Pick<
      Ports,
      'loginLimits' | 'conflictLimits' | 'usernames' | 'listExports' | 'changes' | 'personalData' | 'erasure'
    > {
  readonly actors: ActorDirectory;
  readonly audit: AuditLog;
  readonly migrations: Migrations;
  readonly loadInBulk: LoadInBulk;
  readonly exportInBulk: ExportInBulk;
  /**
   * Connects, and asks all hosts of the URL which of them is the primary. @throws DomainError `unavailable`; Error with SQLSTATE
   * 42P05 behind a pooler that lends one server connection to several clients, but confuses their prepared statements.
   */
  ping(): Promise<void>;
  /** The hosts of the URL that are primaries and not used, each with the reason. See ADR 29. */
  readonly refusedHosts: () => readonly string[];
  /** Checks the database within two seconds, on a connection for checks. @throws DomainError `unavailable`. */
  health(): Promise<DatabaseHealth>;
  /**
   * Whether the latest write of this process was not refused because the database is read-only or full. If it was
   * read-only, checks whether it still is.
   */
  acceptsWrites(): Promise<boolean>;
  /** Deletes expired rows in small batches. Never rejects. */
  purge(): Promise<PurgeResult>;
  /** What an operator may ask about the database. */
  readonly diagnosis: Diagnosis;
  readonly poolUse: () => PoolUse;
  /** What the pool for the primary has counted since the start. */
  readonly incidents: () => Readonly<Record<'repeated' | 'refused' | 'unconnected', number>>;
  /** Counts the lists of users and the statistics, if there are replicas, which have the names of host and port. */
  readonly divisionReads: () => Readonly<Record<string, number>>;
  /** The numbers of transactions and locking statements that run and wait. */
  readonly writeQueueUse: FairQueue['use'];
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/** What an import of files needs of a database. */
export type LoadDatabase = Pick<Database, 'loadInBulk' | 'migrations' | 'ping' | 'close'>;

const PING = { name: 'ping', text: 'select' };

/** The connections of a database, with the adapters that need nothing else. */
const connect = (given: PostgresOptions) => {
  const { clock, ids, tracer } = given;
  const watch = watchPrimary(given);
  const options = { ...given, cluster: watch.cluster };
  const pool = makePool(options);
  pool.on('connect', () => void watch.start());
  const runner = traceStatements(runnerOn(pool), tracer);
  const unpooled = makeUnpooledClients(options);
  const adapters: LoadDatabase = {
    loadInBulk: makeLoadInBulk(unpooled.withClient, { clock, ids }),
    migrations: makeMigrations(options, pool),
    ping: async () => {
      await watch.start();
      await runner.query(PING, []);
      // Such a pooler lends this connection the server connection on which the other one has prepared the statement.
      const other = await openClient(options);
      try {
        await translated(() => runOn(other, PING, []));
      } finally {
        await other.end();
      }
    },
    close: async () => {
      watch.close();
      await Promise.all([unpooled.close(), pool.end()]);
    },
  };
  return { options, pool, runner, unpooled, watch, adapters };
};

/** Makes the adapters for an import of files. Connects with the first statement. */
export const connectForLoads = (options: PostgresOptions): LoadDatabase => connect(options).adapters;

/** Makes the adapters for a database. Connects with the first statement. */
export const connectPostgres = (given: PostgresOptions): Database => {
  const { adapters, options, pool, runner, unpooled, watch } = connect(given);
  const { clock, ids, instanceKey, replicaUrls = [], tracer } = options;
  const alone = { poolSize: 1, allowsSilence: true, tracer: undefined };
  const healthPool = makePool({ ...options, ...alone, acquireTimeoutMs: HEALTH_CHECK_TIMEOUT_MS });
  const replicas = replicaUrls.map((url) => {
    const replica = makePool({ ...options, url, allowsStandby: true, cluster: undefined });
    const transactions = traceTransactions(makeRunTransaction(replica, tracer, READING), tracer);
    return { name: hostOf(url), url, pool: replica, runner: runnerOn(replica), transactions };
  });
  const outcomes = makeWriteOutcomes();
  const health = makeHealth(healthPool, clock, outcomes);
  const writer = outcomes.watchStatements(runner);
  const runOf = (kind?: typeof ALONE) =>
    outcomes.watchTransactions(traceTransactions(makeRunTransaction(pool, tracer, kind), tracer));
  const runs = { runTransaction: runOf(), runStatement: runOf(ALONE), runner: writer };
  const { inTransaction, inStatement, runnerFor, use } = makeWriteQueue(options, pool, runs);
  const fromReplicas = readFromReplicas(runner, replicas);
  const readFrom = replicas.length === 0 ? onlyFrom(runner) : fromReplicas.readFrom;
  const readPage = makeReadPage(readFrom);
  const writeAudit = makeWriteAudit({ clock, ids });
  const { actors, find } = makeUserLookUps(runner);
  return {
    ...adapters,
    refusedHosts: watch.refusedHosts,
    actors,
    sessions: makeSessionRepository(runner, runnerFor, inTransaction),
    users: makeUserRepository(runner, find, inTransaction, readPage, writeAudit, makeSwap(inStatement, { clock, ids })),
    divisions: makeDivisionRepository(runner, inTransaction, readPage, writeAudit),
    credentials: makeCredentialStore(runner, inTransaction),
    loginLimits: makeLoginLimits(runner, runnerFor, inTransaction, writeAudit),
    conflictLimits: makeConflictLimits(runnerFor),
    passwordLinks: makePasswordLinks(runner, inTransaction, writeAudit),
    personalTokens: makePersonalTokens(runner, inTransaction, writeAudit, makeNoteUse(runnerFor)),
    directory: makeUserDirectory(runner, readFrom, unpooled.withClient),
    listExports: makeListExports(unpooled.openTransaction, makeRecordExport(inTransaction, writeAudit), {
      instanceKey,
    }),
    usernames: makeFairQueue(USERNAME_LIMITS, timers),
    audit: makeAuditLog(unpooled.inSnapshot),
    changes: makeChangeFeed(runner),
    personalData: makePersonalData(unpooled.inSnapshot),
    erasure: makeErasure(makeLongTransactions(options), writeAudit),
    exportInBulk: makeExportInBulk(unpooled.withClient, makeRecordAction({ clock, ids }, writer)),
    health,
    acceptsWrites: async () => {
      if (outcomes.isReadOnly()) await health().catch(() => {});
      return outcomes.acceptsWrites();
    },
    purge: makePurge(runnerFor(['purge', 'purge']), clock),
    diagnosis: makeDiagnosis(runner, replicas),
    poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    incidents: () => pool.incidents,
    divisionReads: fromReplicas.reads,
    writeQueueUse: use,
    close: async () => {
      await Promise.all([adapters.close(), healthPool.end(), ...replicas.map((replica) => replica.pool.end())]);
    },
  };
};
