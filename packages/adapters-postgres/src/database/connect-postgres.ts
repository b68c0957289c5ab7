import {
  type ActorDirectory,
  type AuditLog,
  type ChangeFeed,
  type Clock,
  type ConflictLimits,
  type CredentialStore,
  type DatabaseHealth,
  type DivisionRepository,
  type Erasure,
  type FairQueue,
  HEALTH_CHECK_TIMEOUT_MS,
  type IdGenerator,
  type ListExports,
  type LoginLimits,
  makeFairQueue,
  type PasswordLinks,
  type PersonalData,
  type PersonalTokens,
  type PurgeResult,
  type SessionRepository,
  type UserDirectory,
  type UserRepository,
} from '@chapter/domain/ports';
import { makeAuditLog } from '../audit/audit-log.ts';
import { makeRecordAction, makeWriteAudit } from '../audit/audit-writer.ts';
import { makeChangeFeed } from '../audit/change-feed.ts';
import { makeExportInBulk } from '../bulk/bulk-export.ts';
import type { ExportInBulk, LoadInBulk } from '../bulk/bulk-load.ts';
import { makeLoadInBulk } from '../bulk/open-load.ts';
import { type ConnectionOptions, LIFT_TIME_LIMITS, WAIT_FOR_LOCKS } from '../connection/options.ts';
import { makePool } from '../connection/pool.ts';
import { makeReplicas, runnerOn } from '../connection/runner.ts';
import { makeRunTransaction, makeWriteQueue, type RunTransaction, timers } from '../connection/transaction.ts';
import { makeUnpooledClients } from '../connection/unpooled-clients.ts';
import { makeDivisionRepository } from '../divisions/division-repository.ts';
import { makeListExports, makeRecordExport } from '../exports/list-exports.ts';
import { makeConflictLimits } from '../limits/conflict-limits.ts';
import { makeLoginLimits } from '../limits/login-limits.ts';
import { makeReadPage } from '../lists/read-page.ts';
import { makeErasure } from '../personal-data/erasure.ts';
import { makePersonalData } from '../personal-data/personal-data.ts';
import { makeMigrations } from '../schema/migrator.ts';
import type { Migrations } from '../schema/schema-status.ts';
import { makePersonalTokens } from '../sessions/personal-tokens.ts';
import { makeSessionRepository } from '../sessions/session-repository.ts';
import { makeCredentialStore } from '../users/credential-store.ts';
import { makePasswordLinks } from '../users/password-links.ts';
import { makeUserDirectory } from '../users/user-directory.ts';
import { makeUserLookUps } from '../users/user-look-ups.ts';
import { makeUserRepository } from '../users/user-repository.ts';
import { makeHealth } from './health.ts';
import { makePurge } from './purge.ts';
import { makeWriteOutcomes } from './write-outcomes.ts';

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
  /** Replicas for lists, which may be slightly out of date. Everything else is read from the primary. */
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
 * unreachable or no connection is free in time, and works again after the outage.
 */
export interface Database {
  readonly actors: ActorDirectory;
  readonly sessions: SessionRepository;
  readonly users: UserRepository;
  readonly divisions: DivisionRepository;
  readonly credentials: CredentialStore;
  readonly loginLimits: LoginLimits;
  readonly conflictLimits: ConflictLimits;
  readonly passwordLinks: PasswordLinks;
  readonly personalTokens: PersonalTokens;
  readonly directory: UserDirectory;
  readonly listExports: ListExports;
  /** Runs one call for each username at a time. */
  readonly usernames: Pick<FairQueue, 'run'>;
  readonly audit: AuditLog;
  readonly changes: ChangeFeed;
  readonly personalData: PersonalData;
  /** Works only with the URL of the role that owns the tables. */
  readonly erasure: Erasure;
  readonly migrations: Migrations;
  readonly loadInBulk: LoadInBulk;
  readonly exportInBulk: ExportInBulk;
  /** Sends an empty query. @throws DomainError `unavailable`. */
  ping(): Promise<void>;
  /** Checks the state of the database within two seconds, on a connection for checks. @throws DomainError `unavailable`. */
  health(): Promise<DatabaseHealth>;
  /**
   * Whether the latest write of this process was not refused because the database is read-only or full. If it was read-only,
   * checks whether it still is.
   */
  acceptsWrites(): Promise<boolean>;
  /** Deletes expired rows in small batches. Never rejects. */
  purge(): Promise<PurgeResult>;
  readonly poolUse: () => PoolUse;
  /** The numbers of transactions and locking statements that run and wait. */
  readonly writeQueueUse: FairQueue['use'];
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/** What an import of files needs of a database. */
export type LoadDatabase = Pick<Database, 'loadInBulk' | 'migrations' | 'ping' | 'close'>;

/** The connections of a database, with the adapters that need nothing else. */
const connect = (options: PostgresOptions) => {
  const { clock, ids } = options;
  const pool = makePool(options);
  const runner = runnerOn(pool);
  const unpooled = makeUnpooledClients(options);
  const adapters: LoadDatabase = {
    loadInBulk: makeLoadInBulk(unpooled.withClient, { clock, ids }),
    migrations: makeMigrations(options, pool),
    ping: async () => {
      await runner.query({ name: 'ping', text: 'select' }, []);
    },
    close: async () => {
      await Promise.all([unpooled.close(), pool.end()]);
    },
  };
  return { pool, runner, unpooled, adapters };
};

/** Makes the adapters for an import of files. Connects with the first statement. */
export const connectForLoads = (options: PostgresOptions): LoadDatabase => connect(options).adapters;

/** Makes the adapters for a database. Connects with the first statement. */
export const connectPostgres = (options: PostgresOptions): Database => {
  const { clock, ids, instanceKey, replicaUrls = [] } = options;
  const { adapters, pool, runner, unpooled } = connect(options);
  const healthPool = makePool({ ...options, poolSize: 1, acquireTimeoutMs: HEALTH_CHECK_TIMEOUT_MS });
  const replicas = replicaUrls.map((url) => makePool({ ...options, url, allowsStandby: true }));
  const outcomes = makeWriteOutcomes();
  const health = makeHealth(healthPool, clock, outcomes);
  const writer = outcomes.watchStatements(runner);
  const runTransaction = outcomes.watchTransactions(makeRunTransaction(pool));
  const { inTransaction, runnerFor, use } = makeWriteQueue(options, { runTransaction, runner: writer });
  const reader = makeReplicas(replicas.map(runnerOn), runner);
  const readPage = makeReadPage(reader);
  const writeAudit = makeWriteAudit({ clock, ids });
  const { actors, find } = makeUserLookUps(runner);
  return {
    ...adapters,
    actors,
    sessions: makeSessionRepository(runner, runnerFor, inTransaction),
    users: makeUserRepository(runner, find, inTransaction, readPage, writeAudit),
    divisions: makeDivisionRepository(runner, inTransaction, readPage, writeAudit),
    credentials: makeCredentialStore(runner, runnerFor),
    loginLimits: makeLoginLimits(runner, runnerFor, inTransaction, writeAudit),
    conflictLimits: makeConflictLimits(runnerFor),
    passwordLinks: makePasswordLinks(runner, inTransaction, writeAudit),
    personalTokens: makePersonalTokens(runner, inTransaction, writeAudit),
    directory: makeUserDirectory(runner, reader, unpooled.withClient),
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
    purge: makePurge(writer, clock),
    poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    writeQueueUse: use,
    close: async () => {
      await Promise.all([adapters.close(), ...[healthPool, ...replicas].map((one) => one.end())]);
    },
  };
};
