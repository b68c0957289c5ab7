import type {
  AuditLog,
  Clock,
  ConflictLimits,
  CredentialStore,
  DivisionRepository,
  IdGenerator,
  LoginLimits,
  MakeSessionStore,
  PasswordLinks,
  SessionStore,
  UserRepository,
} from '@chapter/domain';
import { makeAuditLog } from '../audit/audit-log.ts';
import { makeWriteAudit } from '../audit/audit-writer.ts';
import { makeExportInBulk } from '../bulk/bulk-export.ts';
import type { LoadInBulk } from '../bulk/bulk-load.ts';
import { makeBulkClients } from '../bulk/client.ts';
import type { ExportInBulk } from '../bulk/export-in-bulk.ts';
import { makeLoadInBulk } from '../bulk/open-load.ts';
import type { ConnectionOptions } from '../connection/options.ts';
import { closeOrm, makeOrm } from '../connection/orm.ts';
import { makePool } from '../connection/pool.ts';
import { makeReplicas } from '../connection/replicas.ts';
import { runnerOn } from '../connection/runner.ts';
import { makeInTransaction } from '../connection/transaction.ts';
import { makeDivisionRepository } from '../divisions/division-repository.ts';
import { makeConflictLimits } from '../limits/conflict-limits.ts';
import { makeLoginLimits } from '../limits/login-limits.ts';
import { makeListRows } from '../lists/list-rows.ts';
import { entities } from '../schema/entities/index.ts';
import { makeMigrations } from '../schema/migrator.ts';
import type { Migrations } from '../schema/schema-status.ts';
import { endSessionsElsewhere, endSessionsHere } from '../sessions/end-sessions.ts';
import { makeSessionRepository } from '../sessions/session-repository.ts';
import { makeActorDirectory } from '../users/actor-directory.ts';
import { makeCredentialStore } from '../users/credential-store.ts';
import { makePasswordLinks } from '../users/password-links.ts';
import { makeUserRepository } from '../users/user-repository.ts';
import type { DatabaseHealth } from './database-health.ts';
import { CHECK_TIMEOUT_MS, makeHealth } from './health.ts';
import { makePurge } from './purge.ts';
import { makeWriteOutcomes } from './write-outcomes.ts';

/** What a database is connected with. */
export interface PostgresOptions extends ConnectionOptions {
  /** Copies that lists may be read from, which can be a moment behind. Everything else is read where it is written. */
  readonly replicaUrls?: readonly string[];
  /** Keeps sessions elsewhere; without it, they are kept in this database (docs/decisions/0020). */
  readonly sessionStore?: MakeSessionStore;
  /** Tells when recorded changes happened. What expires follows the database's clock. */
  readonly clock: Clock;
  /** Gives the entries of the audit trail their ids. */
  readonly ids: IdGenerator;
}

/** How busy the connections are, at this moment. */
export interface PoolUse {
  readonly open: number;
  readonly idle: number;
  /** How many wait for a connection; statements that are going to share one are one. */
  readonly waiting: number;
}

/**
 * The persistence ports of the domain on PostgreSQL. Every method throws DomainError `unavailable` when
 * the database is away or has no connection free in time, and works again once it is back.
 */
export interface Database extends SessionStore {
  readonly users: UserRepository;
  readonly divisions: DivisionRepository;
  readonly credentials: CredentialStore;
  readonly loginLimits: LoginLimits;
  readonly conflictLimits: ConflictLimits;
  readonly passwordLinks: PasswordLinks;
  readonly audit: AuditLog;
  readonly migrations: Migrations;
  readonly loadInBulk: LoadInBulk;
  readonly exportInBulk: ExportInBulk;
  /** Asks the database something trivial. @throws DomainError `unavailable`. */
  ping(): Promise<void>;
  /** Checks what the database can do at present, within two seconds, on a connection of its own. @throws DomainError `unavailable`. */
  health(): Promise<DatabaseHealth>;
  /** Whether the latest write of this process was not refused because the database is read-only or full. */
  acceptsWrites(): boolean;
  /** Deletes what has expired, a little at a time. The number of rows deleted. */
  purge(): Promise<number>;
  poolUse(): PoolUse;
  /** Lets running statements finish and closes all connections. */
  close(): Promise<void>;
}

/** A database of the service. Nothing is connected before the first question. */
export const connectPostgres = (options: PostgresOptions): Database => {
  const { clock, ids, replicaUrls = [], sessionStore } = options;
  const pool = makePool(options);
  const healthPool = makePool({ ...options, poolSize: 1, acquireTimeout: CHECK_TIMEOUT_MS });
  const orm = makeOrm(pool, { entities });
  const replicas = replicaUrls.map((url) => makePool({ ...options, url, allowsStandby: true }));
  const runner = runnerOn(pool);
  const outcomes = makeWriteOutcomes();
  const writer = outcomes.watchStatements(runner);
  const inTransaction = outcomes.watchTransactions(makeInTransaction(orm));
  const listRows = makeListRows(makeReplicas(replicas.map(runnerOn), runner));
  const bulk = makeBulkClients(options);
  const writeAudit = makeWriteAudit({ clock, ids });
  const endSessions = sessionStore ? endSessionsElsewhere(() => store.sessions) : endSessionsHere;
  const users = makeUserRepository(runner, inTransaction, listRows, writeAudit, endSessions);
  const store = sessionStore?.(users) ?? {
    actors: makeActorDirectory(runner),
    sessions: makeSessionRepository(writer, inTransaction),
  };
  return {
    ...store,
    users,
    divisions: makeDivisionRepository(runner, inTransaction, listRows, writeAudit),
    credentials: makeCredentialStore(writer),
    loginLimits: makeLoginLimits(writer),
    conflictLimits: makeConflictLimits(writer),
    passwordLinks: makePasswordLinks(runner, inTransaction, writeAudit, endSessions),
    audit: makeAuditLog(runner),
    migrations: makeMigrations(options, pool),
    loadInBulk: makeLoadInBulk(bulk.withClient, { clock, ids }),
    exportInBulk: makeExportInBulk(bulk.withClient),
    ping: async () => {
      await runner.query({ name: 'ping', text: 'select' }, []);
    },
    health: makeHealth(healthPool, clock, outcomes.acceptsWrites),
    acceptsWrites: outcomes.acceptsWrites,
    purge: makePurge(writer, clock),
    poolUse: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await Promise.all([bulk.close(), closeOrm(orm, pool), ...[healthPool, ...replicas].map((other) => other.end())]);
    },
  };
};
