import { makeSequentialIds, makeSettableClock, type World } from '@chapter/domain/testing';
import { Pool } from 'pg';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { prepareMigrated, servingUrlOf } from '../../../../test-support/migrated-database.ts';
import { connectPostgres, type Database, type PostgresOptions } from '../../src/index.ts';
import { type DatabaseClock, useDatabaseClock } from './database-clock.ts';

/** A world on PostgreSQL, with access to its database. */
export interface PostgresWorld extends World {
  readonly database: Database;
  /** The URL of the serving role, with real time and without parameters. */
  readonly plainUrl: string;
  /** The URL of the serving role, with the world's time and without a lock timeout. */
  readonly url: string;
  /** The URL of the owner, with the world's time and without a lock timeout. */
  readonly ownerUrl: string;
  /** Connects with other options, as the serving role in the world's time by default. Closes after the test. */
  readonly connect: (options?: Partial<PostgresOptions>) => Database;
  /** Wraps a port of another instance so that the database's clock is set before each call. */
  readonly inTime: DatabaseClock['inTime'];
  /** Deletes all rows of the service. */
  readonly empty: () => Promise<void>;
  /** Runs SQL as the owner, so that a test can inspect and break the database. */
  readonly sql: Pool;
}

// `delete` is faster than `truncate` for a few rows.
const TABLES = ['user_account', 'division', 'refresh_token', 'idempotency_key', 'audit_entry', 'login_limit'];
const DELETE_ALL = TABLES.map((table) => `delete from ${table}`).join(';');

const PORTS = [
  'users',
  'divisions',
  'sessions',
  'credentials',
  'actors',
  'loginLimits',
  'conflictLimits',
  'passwordLinks',
  'personalTokens',
  'directory',
  'listExports',
  'audit',
  'changes',
  'personalData',
  'erasure',
] as const;

type Ports = Pick<World, (typeof PORTS)[number]>;

/** Makes each port that a database has. */
export const makePorts = (make: <Name extends keyof Ports>(name: Name) => Ports[Name]): Ports =>
  Object.fromEntries(PORTS.map((name) => [name, make(name)])) as unknown as Ports;

/** Wraps the ports of a database so that its clock follows the world's; `owner` is the same database as the owner sees it. */
export const portsInTime = (database: Database, inTime: DatabaseClock['inTime'], owner: Database = database): Ports =>
  makePorts((name) => inTime((name === 'erasure' ? owner : database)[name]));

/** For a `describe`: gives each test an empty world, whose clock is also the clock of its database. */
export const useWorld = (options: Partial<PostgresOptions> = {}): (() => PostgresWorld) => {
  const test = useTestDatabase(prepareMigrated);
  let world: PostgresWorld | undefined;
  let sql: Pool | undefined;
  let owner: Database | undefined;
  const opened: Database[] = [];
  const clock = makeSettableClock();
  const ids = makeSequentialIds();

  before(async () => {
    sql = new Pool({ connectionString: test.url, max: 2 });
    sql.on('error', () => {});
    const plainUrl = await servingUrlOf(test.url);
    const { url: urlInTime, inTime } = await useDatabaseClock({ url: plainUrl, sql }, clock);
    // Tests make transactions wait for locks until they have observed the wait.
    const url = `${urlInTime}&lock_timeout=0`;
    const database = inTime(connectPostgres({ url, clock, ids, ...options }));
    const ownerUrl = Object.assign(new URL(test.url), { search: new URL(url).search }).href;
    owner = connectPostgres({ url: ownerUrl, clock, ids, ...options });
    const connect = (more: Partial<PostgresOptions> = {}): Database => {
      const connected = connectPostgres({ url, clock, ids, ...more });
      opened.push(connected);
      return connected;
    };
    const empty = async () => void (await sql?.query(DELETE_ALL));
    world = {
      ...portsInTime(database, inTime, owner),
      clock,
      ids,
      database,
      url,
      plainUrl,
      ownerUrl,
      connect,
      inTime,
      empty,
      sql,
    };
  });
  beforeEach(() => world?.empty());
  // The test may have closed it.
  afterEach(() => Promise.all(opened.splice(0).map((one) => one.close().catch(() => {}))));
  after(async () => {
    await world?.database.close();
    await owner?.close();
    await sql?.end();
  });
  return () => {
    if (!world) throw new Error('the world exists only while tests run');
    return world;
  };
};
