import { makeSequentialIds, makeSettableClock, type World } from '@chapter/domain/testing';
import { Pool } from 'pg';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { connectPostgres, type Database } from '../../src/index.ts';

const CONTEXT = { clock: makeSettableClock(), ids: makeSequentialIds() };

/** Brings an empty database to the present schema. */
const migrate = async (url: string): Promise<void> => {
  const database = connectPostgres({ url, ...CONTEXT });
  await database.migrations.up();
  await database.close();
};

/** A world on PostgreSQL, with the database behind it. */
export interface PostgresWorld extends World {
  readonly database: Database;
  readonly url: string;
  /** Deletes everything. */
  readonly empty: () => Promise<void>;
  /** Beside everything, for what a test wants to see or to break. */
  readonly sql: Pool;
}

// Faster than `truncate` where there are only a few rows.
const TABLES = ['user_account', 'division', 'idempotency_key', 'audit_entry', 'login_limit'];
const EMPTY = TABLES.map((table) => `delete from ${table}`).join(';');

/** For a `describe`: gives each test an empty world of its own. */
export const useWorld = (more: Partial<Parameters<typeof connectPostgres>[0]> = {}): (() => PostgresWorld) => {
  const test = useTestDatabase(migrate);
  let world: PostgresWorld | undefined;
  let sql: Pool | undefined;
  const clock = makeSettableClock();
  const ids = makeSequentialIds();

  before(() => {
    sql = new Pool({ connectionString: test.url, max: 2 });
    sql.on('error', () => {});
    const database = connectPostgres({ url: test.url, clock, ids, ...more });
    const empty = async () => void (await sql?.query(EMPTY));
    world = { ...database, clock, ids, database, url: test.url, empty, sql };
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
