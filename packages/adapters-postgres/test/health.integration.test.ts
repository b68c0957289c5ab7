import { OPERATOR } from '@chapter/domain';
import { aDivision, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../test-support/breakable-network.ts';
import { connectPostgres, type Database, type PostgresOptions } from '../src/index.ts';
import { MIGRATION_TABLE, MIGRATIONS } from '../src/schema/migrations/index.ts';
import { useWorld } from './support/use-world.ts';

const HEALTHY = { reads: true, writes: true, clockDifferenceMs: 0 };
const UNUSABLE = { reads: false, writes: false, clockDifferenceMs: 0 };

describe('The health of a database', () => {
  const world = useWorld();
  const opened: { readonly close: () => Promise<void> }[] = [];
  const undoStatements: string[] = [];
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
    for (const statement of undoStatements.splice(0)) await world().sql.query(statement);
  });
  const connect = (options: Partial<PostgresOptions> = {}) => {
    const { clock, ids, url } = world();
    const database = connectPostgres({ url, clock, ids, ...options });
    opened.push(database);
    return world().inTime(database);
  };
  /** Runs a statement, and reverts it with `revert` after the test. */
  const change = async (statement: string, revert: string): Promise<void> => {
    undoStatements.push(revert);
    await world().sql.query(statement);
  };
  const createDivision = async ({ divisions }: Pick<Database, 'divisions'>): Promise<void> => {
    const { id, name, logo, fanpage } = aDivision();
    await divisions.create(OPERATOR, { id, name, logo, fanpage });
  };
  const expectUnavailable = async (work: Promise<unknown>): Promise<void> => {
    expect(await work.catch((error: unknown) => error)).to.include({ code: 'unavailable' });
  };

  it('reports reads and writes of a healthy database', async () => {
    expect(await world().database.health()).to.deep.equal(HEALTHY);
  });

  for (const seconds of [16 * 86_400, -16 * 86_400]) {
    it(`reports the difference when the clock of an instance is off by ${seconds} s`, async () => {
      const clock = makeSettableClock(world().clock.now());
      clock.advance(seconds);
      expect(await connect({ clock }).health()).to.deep.equal({ ...HEALTHY, clockDifferenceMs: -seconds * 1000 });
    });
  }

  it('reports no writes when transactions are read-only by default', async () => {
    const { pathname } = new URL(world().url);
    const setting = `alter database ${pathname.slice(1)}`;
    await change(`${setting} set default_transaction_read_only = on`, `${setting} reset default_transaction_read_only`);
    const database = connect();
    expect(await database.health()).to.deep.equal({ ...HEALTHY, writes: false });
    await expectUnavailable(createDivision(database));
    expect(database.acceptsWrites()).to.equal(false);
    await expectUnavailable(database.purge());
  });

  it('reports no writes after one failed for lack of disk space, until one succeeds', async () => {
    await change(
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create trigger refuse before insert on division execute function refuse()`,
      'drop function if exists refuse cascade',
    );
    const database = connect();
    await expectUnavailable(createDivision(database));
    expect(await database.health()).to.deep.equal({ ...HEALTHY, writes: false });
    await world().sql.query('drop trigger refuse on division');
    await createDivision(database);
    expect(await database.health()).to.deep.equal(HEALTHY);
  });

  it('reports no writes after a login attempt failed for lack of disk space', async () => {
    await change(
      `create function refuse() returns trigger language plpgsql as
         $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
       create trigger refuse before insert on login_limit execute function refuse()`,
      'drop function if exists refuse cascade',
    );
    const database = connect();
    await expectUnavailable(database.loginLimits.begin({ username: 'ada' }, '192.0.2.0/24'));
    expect(await database.health()).to.deep.equal({ ...HEALTHY, writes: false });
  });

  it('reports neither reads nor writes while the server is in recovery, and fails on a new connection', async () => {
    const inRecovery = (isInRecovery: boolean): string =>
      `create or replace function test_clock.pg_is_in_recovery() returns boolean language sql stable as 'select ${isInRecovery}'`;
    await change(inRecovery(false), 'drop function test_clock.pg_is_in_recovery');
    const database = connect();
    expect(await database.health()).to.deep.equal(HEALTHY);
    await world().sql.query(inRecovery(true));
    expect(await database.health()).to.deep.equal(UNUSABLE);
    await expectUnavailable(connect().health());
  });

  it('reports neither reads nor writes with an older schema, and both with a newer one', async () => {
    const database = connect();
    const last = `'${MIGRATIONS.at(-1)}'`;
    await change(
      `update ${MIGRATION_TABLE} set name = 'later' where name = ${last}`,
      `update ${MIGRATION_TABLE} set name = ${last} where name = 'later'`,
    );
    expect(await database.health()).to.deep.equal(UNUSABLE);
    await world().sql.query(`insert into ${MIGRATION_TABLE} (name) values (${last})`);
    undoStatements.unshift(`delete from ${MIGRATION_TABLE} where name = ${last}`);
    expect(await database.health()).to.deep.equal(HEALTHY);
  });

  it('fails without a schema', async () => {
    await change(`alter table ${MIGRATION_TABLE} rename to hidden`, `alter table hidden rename to ${MIGRATION_TABLE}`);
    expect(
      await connect()
        .health()
        .catch((error: unknown) => error),
    ).to.be.instanceOf(Error);
  });

  it('does not wait while all connections of the service are in use', async () => {
    const database = connect({ poolSize: 1 });
    const { sql } = world();
    const blocker = await sql.connect();
    await blocker.query('begin; lock table division');
    const waiting = createDivision(database);
    expect(await database.health()).to.deep.equal(HEALTHY);
    expect(database.poolUse()).to.include({ open: 1, idle: 0 });
    await blocker.query('commit');
    blocker.release();
    await waiting;
  });

  for (const [moment, options] of [
    ['does not respond', {}],
    ['stops responding before a connection is checked again', { checkIntervalMs: 0 }],
  ] as const) {
    it(`closes the connection when the server ${moment}`, async () => {
      const network: BreakableNetwork = await makeBreakableNetwork(world().url);
      opened.push(network);
      // No other limit may end the check.
      const database = connect({ url: network.url, statementTimeoutMs: 0, acquireTimeoutMs: 3_600_000, ...options });
      await database.health();
      network.hang();
      await expectUnavailable(database.health());
      network.mend();
      expect(await database.health()).to.deep.equal(HEALTHY);
    });
  }
});
