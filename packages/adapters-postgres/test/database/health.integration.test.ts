import { type DatabaseHealth, OPERATOR } from '@chapter/domain/ports';
import { aDivision, makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { type BreakableNetwork, makeBreakableNetwork } from '../../../../test-support/breakable-network.ts';
import { useTestDatabase } from '../../../../test-support/database.ts';
import type { Database, PostgresOptions } from '../../src/index.ts';
import { MIGRATION_TABLE, MIGRATIONS } from '../../src/schema/migrations/index.ts';
import { until } from '../support/until.ts';
import { type Blocker, useBlockedWorld, useBlockers } from '../support/use-blockers.ts';

const HEALTHY = { reads: true, writes: true, blockers: [], clockDifferenceMs: 0 };
const UNUSABLE = { ...HEALTHY, reads: false, writes: false };

describe('The health of a database', () => {
  const { world, blockers: serving } = useBlockedWorld();
  const networks: BreakableNetwork[] = [];
  const undoStatements: string[] = [];
  afterEach(async () => {
    for (const network of networks.splice(0)) await network.close();
    for (const statement of undoStatements.splice(0)) await world().sql.query(statement);
  });
  const connect = (options: Partial<PostgresOptions> = {}) => world().inTime(world().connect(options));
  /** Runs a statement, and reverts it with `revert` after the test. */
  const change = async (statement: string, revert: string): Promise<void> => {
    undoStatements.push(revert);
    await world().sql.query(statement);
  };
  /** Makes transactions of new sessions read-only. Returns a function that makes them writable again. */
  const makeReadOnly = async (): Promise<() => Promise<void>> => {
    const setting = `alter database ${new URL(world().url).pathname.slice(1)}`;
    const revert = `${setting} reset default_transaction_read_only`;
    await change(`${setting} set default_transaction_read_only = on`, revert);
    return async () => void (await world().sql.query(revert));
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

  it('compares the clocks in the middle of the round trip', async () => {
    const times = [0, 10_000];
    const start = Date.parse(world().clock.now());
    const clock = { now: () => new Date(start + (times.shift() ?? Number.NaN)).toISOString() };
    expect(await connect({ clock }).health()).to.deep.equal({ ...HEALTHY, clockDifferenceMs: -5000 });
  });

  it('reports no writes when transactions are read-only by default', async () => {
    const makeWritable = await makeReadOnly();
    const database = connect();
    expect(await database.health()).to.deep.equal({ ...HEALTHY, writes: false });
    await makeWritable();
    expect(await database.health()).to.deep.equal(HEALTHY);
    await makeReadOnly();
    await expectUnavailable(createDivision(database));
    expect(await database.acceptsWrites()).to.equal(false);
    const { failures } = await database.purge();
    expect(Object.values(failures).every((reason) => reason.includes('SQLSTATE 25006'))).to.equal(true);
    expect(Object.keys(failures)).to.have.length.above(1);
  });

  for (const [report, writesAgain] of [
    ['health', async (database: Database) => (await database.health()).writes],
    ['acceptsWrites', (database: Database) => database.acceptsWrites()],
  ] as const) {
    it(`reports writes by ${report} as soon as the database is no longer read-only, without a write`, async () => {
      const database = connect();
      expect(await writesAgain(database)).to.equal(true);
      // The present connections can still write, so each report must come from a new one.
      const makeWritable = await makeReadOnly();
      await expectUnavailable(createDivision(database));
      expect(await writesAgain(database)).to.equal(false);
      await makeWritable();
      expect(await writesAgain(database)).to.equal(true);
    });
  }

  const attempt = ({ loginLimits }: Database) => loginLimits.begin({ username: 'ada' }, '192.0.2.0/24');
  for (const [table, write] of [
    ['division', createDivision],
    ['login_limit', attempt],
  ] as const) {
    it(`reports no writes after one to ${table} failed for lack of disk space, until a transaction succeeds`, async () => {
      await change(
        `create function refuse() returns trigger language plpgsql as
           $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
         create trigger refuse before insert on ${table} execute function refuse()`,
        'drop function if exists refuse cascade',
      );
      const database = connect();
      await expectUnavailable(write(database));
      expect(await database.health()).to.deep.equal({ ...HEALTHY, writes: false });
      await world().sql.query(`drop trigger refuse on ${table}`);
      await createDivision(database);
      expect(await database.health()).to.deep.equal(HEALTHY);
    });
  }

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
    const blocker = await serving.begin();
    await blocker.run('lock table division');
    const waiting = createDivision(database);
    expect(await database.health()).to.include({ reads: true, writes: true });
    expect(database.poolUse()).to.include({ open: 1, idle: 0 });
    await blocker.commit();
    await waiting;
  });

  describe('while transactions wait for locks', () => {
    const owning = useBlockers(() => ({ ...world(), url: world().ownerUrl }));
    const other = useTestDatabase();
    const elsewhere = useBlockers(() => {
      const { pathname } = new URL(other.url);
      return { ...world(), url: Object.assign(new URL(world().url), { pathname }).href };
    });
    const lockDivision = 'select from division for update';
    const lockMigrations = 'select pg_advisory_xact_lock(7163384721318440809)';
    const lockUser = 'select pg_advisory_xact_lock(-1)';
    /** Takes a lock, which may take long, and then releases it. */
    const pass = async (blocker: Promise<Blocker>, lock: string): Promise<void> => {
      const { commit, run } = await blocker;
      await run(lock);
      await commit();
    };
    beforeEach(() => createDivision(world()));

    for (const [role, blockers, state, age] of [
      ['the same role', serving, 'idle in transaction', 'number'],
      ['another role', owning, null, 'null'],
    ] as const) {
      it(`reports the process of ${role} that all of them wait for, and no other`, async () => {
        const holder = await blockers.begin();
        const [[pid] = []] = await holder.run(`select pg_backend_pid(), set_config('application_name', 'psql', true)`);
        await holder.run(lockDivision);
        // The second one waits for the first one.
        const first = pass(blockers.begin(), lockDivision);
        await blockers.untilWaiting(1, first);
        const second = pass(serving.begin(), lockDivision);
        let found: DatabaseHealth['blockers'] = [];
        await until(async () => {
          found = (await world().database.health()).blockers;
          return found.length > 0;
        });
        expect(found).to.have.lengthOf(1);
        expect(found[0]).to.include({ pid, applicationName: 'psql', state });
        expect(found[0]?.transactionSeconds).to.be.a(age);
        expect(found[0]?.waitSeconds).to.be.at.least(1);
        await holder.commit();
        await Promise.all([first, second]);
      });
    }

    it('reports no process that only other databases, other roles and instances that migrate wait for', async () => {
      const [holder, otherHolder] = [await serving.begin(), await elsewhere.begin()];
      for (const lock of [lockDivision, lockMigrations]) await holder.run(lock);
      await otherHolder.run(lockUser);
      const waiting = Promise.all([
        pass(elsewhere.begin(), lockUser),
        pass(owning.begin(), lockDivision),
        pass(serving.begin(), lockMigrations),
      ]);
      await serving.untilWaiting(2, waiting, 1500);
      expect(await world().database.health()).to.deep.equal(HEALTHY);
      for (const { commit } of [holder, otherHolder]) await commit();
      await waiting;
    });
  });

  it('closes the connection when the server does not respond, also before the connection is checked again', async () => {
    const network = await makeBreakableNetwork(world().url);
    networks.push(network);
    // No other limit may end the check.
    const options = { url: network.url, statementTimeoutMs: 0, acquireTimeoutMs: 3_600_000 };
    const databases = [connect(options), connect({ ...options, checkIntervalMs: 0 })];
    for (const database of databases) await database.health();
    network.hang();
    await Promise.all(databases.map((database) => expectUnavailable(database.health())));
    network.mend();
    for (const database of databases) expect(await database.health()).to.deep.equal(HEALTHY);
  });
});
