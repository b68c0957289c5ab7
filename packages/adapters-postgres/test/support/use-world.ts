import { makeSequentialIds, makeSettableClock, type World } from '@chapter/domain/testing';
import { Pool } from 'pg';
import { asRole, useTestDatabase } from '../../../../test-support/database.ts';
import { connectPostgres, type Database } from '../../src/index.ts';
import { type DatabaseClock, useDatabaseClock } from './database-clock.ts';

const CONTEXT = { clock: makeSettableClock(), ids: makeSequentialIds() };

const asServing = (url: string): Promise<string> => asRole(url, 'serving');

/** Brings an empty database to the present schema, and gives a role of the run the rights to serve. */
const migrate = async (url: string): Promise<void> => {
  const database = connectPostgres({ url, ...CONTEXT });
  await database.migrations.up();
  await database.migrations.grantTo(await asServing(url));
  await database.close();
};

/** A world on PostgreSQL, with the database behind it. */
export interface PostgresWorld extends World {
  readonly database: Database;
  /** Leads to the database as the role that only serves, in the machine's time and without parameters. */
  readonly plainUrl: string;
  /** Leads to the database as the role that only serves, in the world's time. */
  readonly url: string;
  /** Wraps a port of another instance so that the database's clock is set before each call. */
  readonly inTime: DatabaseClock['inTime'];
  /** Deletes everything. */
  readonly empty: () => Promise<void>;
  /** As the owner, for what a test wants to see or to break. */
  readonly sql: Pool;
}

// Faster than `truncate` where there are only a few rows.
const TABLES = ['user_account', 'division', 'idempotency_key', 'audit_entry', 'login_limit'];
const EMPTY = TABLES.map((table) => `delete from ${table}`).join(';');

/** The ports of a database, each in time with the world's clock. */
export const portsInTime = (database: Database, inTime: DatabaseClock['inTime']): Omit<World, 'clock' | 'ids'> => ({
  users: inTime(database.users),
  divisions: inTime(database.divisions),
  sessions: inTime(database.sessions),
  credentials: inTime(database.credentials),
  actors: inTime(database.actors),
  loginLimits: inTime(database.loginLimits),
  conflictLimits: inTime(database.conflictLimits),
  passwordLinks: inTime(database.passwordLinks),
  audit: inTime(database.audit),
});

/** For a `describe`: gives each test an empty world of its own, whose clock is that of its database too. */
export const useWorld = (more: Partial<Parameters<typeof connectPostgres>[0]> = {}): (() => PostgresWorld) => {
  const test = useTestDatabase(migrate);
  let world: PostgresWorld | undefined;
  let sql: Pool | undefined;
  const clock = makeSettableClock();
  const ids = makeSequentialIds();

  before(async () => {
    sql = new Pool({ connectionString: test.url, max: 2 });
    sql.on('error', () => {});
    const plainUrl = await asServing(test.url);
    const { url, inTime } = await useDatabaseClock({ url: plainUrl, sql }, clock);
    const database = inTime(connectPostgres({ url, clock, ids, ...more }));
    const empty = async () => void (await sql?.query(EMPTY));
    world = { ...portsInTime(database, inTime), clock, ids, database, url, plainUrl, inTime, empty, sql };
  });
  beforeEach(() => world?.empty());
  after(async () => {
    await world?.database.close();
    await sql?.end();
  });
  return () => {
    if (!world) throw new Error('The world is there once the hooks have run.');
    return world;
  };
};
