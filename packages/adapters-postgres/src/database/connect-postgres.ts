import {
  type AuditLog,
  type Clock,
  type ConflictLimits,
  type CredentialStore,
  type DatabaseHealth,
  type DivisionRepository,
  type Erasure,
  HEALTH_CHECK_TIMEOUT_MS,
  type IdGenerator,
  type ListExports,
  type LoginLimits,
  type MakeSessionStore,
  type PasswordLinks,
  type PersonalData,
  type SessionStore,
  type UserDirectory,
  type UserId,
  type UserRepository,
} from '@chapter/domain';
import { makeAuditLog } from '../audit/audit-log.ts';
import { makeWriteAudit } from '../audit/audit-writer.ts';
import { makeExportInBulk } from '../bulk/bulk-export.ts';
import type { LoadInBulk } from '../bulk/bulk-load.ts';
import type { ExportInBulk } from '../bulk/export-in-bulk.ts';
import { makeLoadInBulk } from '../bulk/open-load.ts';
import type { ConnectionOptions } from '../connection/options.ts';
import { closeOrm, makeOrm } from '../connection/orm.ts';
import { makePool } from '../connection/pool.ts';
import { makeReplicas } from '../connection/replicas.ts';
import { runnerOn } from '../connection/runner.ts';
import { makeInTransaction } from '../connection/transaction.ts';
import { makeUnpooledClients } from '../connection/unpooled-clients.ts';
import { makeDivisionRepository } from '../divisions/division-repository.ts';
import { makeListExports } from '../exports/list-exports.ts';
import { makeRecordExport } from '../exports/record-export.ts';
import { makeConflictLimits } from '../limits/conflict-limits.ts';
import { makeLoginLimits } from '../limits/login-limits.ts';
import { makeReadPage } from '../lists/read-page.ts';
import { makeErasure } from '../personal-data/erasure.ts';
import { makePersonalData } from '../personal-data/personal-data.ts';
import { entities } from '../schema/entities/index.ts';
import { makeMigrations } from '../schema/migrator.ts';
import type { Migrations } from '../schema/schema-status.ts';
import { endExternalSessions, endStoredSessions } from '../sessions/end-sessions.ts';
import { makeSessionRepository } from '../sessions/session-repository.ts';
import { makeActorDirectory } from '../users/actor-directory.ts';
import { makeCredentialStore } from '../users/credential-store.ts';
import { makePasswordLinks } from '../users/password-links.ts';
import { makeUserDirectory } from '../users/user-directory.ts';
import { makeUserRepository } from '../users/user-repository.ts';
import { makeHealth } from './health.ts';
import { makeLongTransactions } from './long-transactions.ts';
import { makePurge } from './purge.ts';
import { makeWriteOutcomes } from './write-outcomes.ts';

/** Options of the connection to a database, and the other dependencies of the adapters. */
export interface PostgresOptions extends ConnectionOptions {
  /** Replicas for lists, which may be slightly out of date. Everything else is read from the primary. */
  readonly replicaUrls?: readonly string[];
  /** An external session store; without it, this database stores the sessions (docs/decisions/0020). */
  readonly sessionStore?: MakeSessionStore;
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
export interface Database extends SessionStore {
  readonly users: UserRepository;
  readonly divisions: DivisionRepository;
  readonly credentials: CredentialStore;
  readonly loginLimits: LoginLimits;
  readonly conflictLimits: ConflictLimits;
  readonly passwordLinks: PasswordLinks;
  readonly directory: UserDirectory;
  readonly listExports: ListExports;
  readonly audit: AuditLog;
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
  /** False if the latest write of this process was refused because the database is read-only or full. */
  acceptsWrites(): boolean;
  /** Deletes expired rows in small batches. Returns the number of deleted rows. */
  purge(): Promise<number>;
  poolUse(): PoolUse;
  /** Waits for running statements, then closes all connections. */
  close(): Promise<void>;
}

/** Makes the adapters for a database. Connects with the first statement. */
export const connectPostgres = (options: PostgresOptions): Database => {
  const { clock, ids, instanceKey, replicaUrls = [], sessionStore } = options;
  const pool = makePool(options);
  const healthPool = makePool({ ...options, poolSize: 1, acquireTimeoutMs: HEALTH_CHECK_TIMEOUT_MS });
  const orm = makeOrm(pool, { entities });
  const replicas = replicaUrls.map((url) => makePool({ ...options, url, allowsStandby: true }));
  const runner = runnerOn(pool);
  const outcomes = makeWriteOutcomes();
  const writer = outcomes.watchStatements(runner);
  const inTransaction = outcomes.watchTransactions(makeInTransaction(orm, pool));
  const readPage = makeReadPage(makeReplicas(replicas.map(runnerOn), runner));
  const unpooled = makeUnpooledClients(options);
  const writeAudit = makeWriteAudit({ clock, ids });
  const endSessions = sessionStore ? endExternalSessions(() => store.sessions) : endStoredSessions;
  const users = makeUserRepository(runner, inTransaction, readPage, writeAudit, endSessions);
  const store = sessionStore?.(users) ?? {
    actors: makeActorDirectory(runner),
    sessions: makeSessionRepository(writer, inTransaction),
  };
  return {
    ...store,
    users,
    divisions: makeDivisionRepository(runner, inTransaction, readPage, writeAudit),
    credentials: makeCredentialStore(writer),
    loginLimits: makeLoginLimits(writer),
    conflictLimits: makeConflictLimits(writer),
    passwordLinks: makePasswordLinks(runner, inTransaction, writeAudit, endSessions),
    directory: makeUserDirectory(runner, unpooled.withClient),
    listExports: makeListExports(unpooled.openTransaction, makeRecordExport(inTransaction, writeAudit), {
      instanceKey,
    }),
    audit: makeAuditLog(unpooled.inSnapshot),
    personalData: makePersonalData(unpooled.inSnapshot, sessionStore ? store.sessions : null),
    erasure: makeErasure(makeLongTransactions(options), writeAudit, endSessions),
    migrations: makeMigrations(options, pool),
    loadInBulk: makeLoadInBulk(unpooled.withClient, {
      clock,
      ids,
      ...(sessionStore ? { endSessions: (userId: UserId) => store.sessions.endAll(userId) } : {}),
    }),
    exportInBulk: makeExportInBulk(unpooled.withClient),
    ping: async () => {
      await runner.query({ name: 'ping', text: 'select' }, []);
    },
    health: makeHealth(healthPool, clock, outcomes.acceptsWrites),
    acceptsWrites: outcomes.acceptsWrites,
    purge: makePurge(writer, clock),
    poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await Promise.all([
        unpooled.close(),
        closeOrm(orm, pool),
        ...[healthPool, ...replicas].map((other) => other.end()),
      ]);
    },
  };
};
