import { databaseAddressOf } from '@chapter/adapters-postgres/database-url';
import { CLOCK_TOLERANCE_MS } from '@chapter/domain/ports';
import { formatCount } from '../text/text.ts';
import { databaseFault, type OpenedDatabase } from './open-database.ts';

const MAX_TRANSACTION_MINUTES = 10;
const MAX_SECONDS_BEHIND = 30;
/** The part of the server's connections that should be free. */
const FREE_PART = 0.1;
/** Lists with more rows refuse some pages and counts (docs/lists.md). */
const LIST_LIMIT = 100_000;

/** Returns what is wrong as a message whose last clause, after a semicolon, says what to do; empty if nothing is. */
export const messageIf = (isWrong: boolean, message: string): readonly string[] => (isWrong ? [message] : []);

type Checked = Pick<OpenedDatabase, 'migrations' | 'refusedHosts' | 'health' | 'diagnosis'>;

type ReplicaState = Awaited<ReturnType<Checked['diagnosis']['replicas']>>[number];

const problemOfReplica = (state: ReplicaState): string | undefined => {
  if ('error' in state) {
    const { error } = state;
    const reason = databaseFault(error) ?? 'its tables cannot be read';
    return `cannot be used: ${reason}`;
  }
  if (!state.isStandby) return 'is not a standby';
  const behind = state.secondsBehind ?? 0;
  return behind > MAX_SECONDS_BEHIND ? `is ${behind} seconds behind the primary` : undefined;
};

/** Checks of a database by name, in the order in which they run. Each returns messages about what is wrong. */
export type Checks = Readonly<Record<string, (database: Checked) => Promise<readonly string[]>>>;

/** The checks of the database that serves. */
export const DATABASE_CHECKS: Checks = {
  role: async ({ migrations }) => {
    const statements = (await migrations.roleFaults()).join(', ');
    const action = `run "chapter migrate" with OWNER_DATABASE_URL, or ask an administrator to run: ${statements}`;
    return messageIf(statements !== '', `the role of DATABASE_URL lacks rights or has too many; ${action}`);
  },
  schema: async ({ migrations }) => {
    const { pending, state } = await migrations.status();
    const problem = `the schema is older than this program (pending migrations: ${pending.join(', ')})`;
    return messageIf(state === 'older', `${problem}; run "chapter migrate", or set MIGRATE_ON_START=true`);
  },
  clock: async ({ health }) => {
    const ms = Math.abs((await health()).clockDifferenceMs);
    const problem = `the clocks of this machine and the database differ by ${(ms / 1000).toFixed(1)} s`;
    return messageIf(ms > CLOCK_TOLERANCE_MS, `${problem}; synchronize both (NTP)`);
  },
  locks: async ({ health }) =>
    (await health()).blockers.map(
      ({ pid }) => `requests wait for locks of the database's process ${pid}; see docs/operations.md#locks`,
    ),
  hosts: async ({ refusedHosts }) =>
    refusedHosts().map((host) => `the host ${host}; let it rejoin its cluster as a standby`),
  connections: async ({ diagnosis }) => {
    const { free, usable } = (await diagnosis.load()).connections;
    const problem = `only ${Math.max(free, 0)} of the server's ${usable} connections are free`;
    const action = 'end clients that need none, put pgbouncer in front of it, or raise max_connections';
    return messageIf(free < usable * FREE_PART, `${problem}; ${action}`);
  },
  transactions: async ({ diagnosis }) => {
    const { applicationName = '', pid = 0, seconds = 0 } = (await diagnosis.load()).oldest ?? {};
    const minutes = Math.floor(seconds / 60);
    const problem = `process ${pid} (${applicationName}) has a transaction open for ${minutes} minutes, which delays migrations`;
    const action = `unless it is an import or a backup, run: select pg_terminate_backend(${pid})`;
    return messageIf(minutes >= MAX_TRANSACTION_MINUTES, `${problem}; ${action}`);
  },
  lists: async ({ diagnosis }) => {
    const { divisionId = '', users = 0 } = (await diagnosis.load()).largest ?? {};
    const problem = `some lists of the division ${divisionId} are refused (422), as it has about ${formatCount(users, 'user')}`;
    return messageIf(users > LIST_LIMIT, `${problem}; divide it, or let its users narrow their lists (docs/lists.md)`);
  },
  purge: async ({ diagnosis }) => {
    const tables = await diagnosis.overdue();
    const action = 'start an instance, or search the log of one for "cannot delete expired rows"';
    return messageIf(tables !== '', `rows that expired more than an hour ago are still in ${tables}; ${action}`);
  },
  replicas: async ({ diagnosis }) =>
    (await diagnosis.replicas()).flatMap((state) => {
      const problem = problemOfReplica(state);
      const action = 'check the server, or remove it from DATABASE_REPLICA_URLS';
      return messageIf(problem !== undefined, `the replica at ${databaseAddressOf(state.url)} ${problem}; ${action}`);
    }),
};

/** The checks of the owner's connection. */
export const OWNER_CHECKS: Checks = {
  role: async ({ migrations }) => {
    const statements = (await migrations.missingRights()).join(', ');
    const action = `ask an administrator to run: ${statements}`;
    return messageIf(statements !== '', `the role of OWNER_DATABASE_URL cannot migrate; ${action}`);
  },
};

/** The checks that read tables which an old schema may lack. */
export const NEED_SCHEMA: ReadonlySet<string> = new Set(['clock', 'locks', 'purge']);
