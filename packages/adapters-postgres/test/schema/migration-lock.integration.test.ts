import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import type { Migrations } from '../../src/index.ts';
import { LOCK_WAITS } from '../../src/schema/lock-waits.ts';
import { makeMigrations } from '../../src/schema/migrator.ts';
import { useOwnDatabase } from '../support/use-own-database.ts';

/** The advisory lock that release 0.1.0 takes for its session. */
const LOCK_OF_0_1_0 = '7163384721318440809';

const HOLDERS = `select l.pid, a.wait_event_type is not distinct from 'Lock' as waits
  from pg_locks l join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())`;

describe('The migration lock', () => {
  const { blockers, openPool, sql, url: ownerUrl } = useOwnDatabase();

  /** Makes migrations that wait for the locks of tables without a limit, so that tests can observe the wait. */
  const connect = (parameters: Readonly<Record<string, string>> = {}): Migrations => {
    const url = new URL(ownerUrl());
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return makeMigrations({ url: url.href }, openPool(url.href), { ...LOCK_WAITS, timeoutMs: 0, attempts: 1 });
  };

  /** Migrates to 0002 and blocks the table that 0003 indexes. */
  const blockThirdMigration = async () => {
    const migrations = connect();
    await migrations.to('0002-search-in-the-order');
    const blocker = await blockers.begin();
    await blocker.run('lock table user_account in exclusive mode');
    return { blocker, pending: (await migrations.status()).pending };
  };

  it('waits for release 0.1.0, which holds it for its session', async () => {
    const migrations = connect();
    const old = await blockers.begin();
    await old.run(`select pg_advisory_lock(${LOCK_OF_0_1_0})`);
    const run = migrations.up();
    await blockers.untilWaiting(1, run);
    expect((await migrations.status()).applied).to.deep.equal([]);
    await old.run(`select pg_advisory_unlock(${LOCK_OF_0_1_0})`);
    expect(await run).to.deep.equal(migrations.names);
  });

  it('may take longer to get than the statement timeout of the URL', async () => {
    const { blocker, pending } = await blockThirdMigration();
    const run = connect({ statement_timeout: '300' }).up();
    await blockers.untilWaiting(1, run);
    // Also longer than the limit for silent servers, which is twice the statement timeout.
    await blocker.run('select pg_sleep(0.7)');
    await blocker.commit();
    expect(await run).to.deep.equal(pending);
  });

  it('may take longer to get than the lock timeout of the URL', async () => {
    const migrations = connect({ lock_timeout: '50' });
    const other = await blockers.begin();
    await other.run(`select pg_advisory_lock(${LOCK_OF_0_1_0})`);
    const run = migrations.up();
    await blockers.untilWaiting(1, run, 100);
    await other.run(`select pg_advisory_unlock(${LOCK_OF_0_1_0})`);
    expect(await run).to.deep.equal(migrations.names);
  });

  it('is held by the transaction that changes the schema, so that it works behind a transaction pooler', async () => {
    const { blocker } = await blockThirdMigration();
    const run = connect().up();
    await blockers.untilWaiting(1, run);
    const { rows } = await sql().query<{ waits: boolean }>(HOLDERS);
    expect(rows.map(({ waits }) => waits)).to.deep.equal([true]);
    await blocker.commit();
    await run;
    expect((await sql().query(HOLDERS)).rows).to.deep.equal([]);
  });

  it('passes to another instance when the connection is lost, and the interrupted migration is rolled back', async () => {
    const { blocker, pending } = await blockThirdMigration();
    const lost = connect()
      .up()
      .catch((error: unknown) => error);
    await blockers.untilWaiting(1, lost);
    const other = connect().up();
    await blockers.untilWaiting(2, other);
    await sql().query(`select pg_terminate_backend(pid) from (${HOLDERS}) holders`);
    const error = await lost;
    expect(error).to.be.instanceOf(DomainError).with.property('code', 'unavailable');
    await blocker.commit();
    expect(await other).to.deep.equal(pending);
  });

  it('lets each run end when another one migrates in the other direction', async () => {
    const migrations = connect();
    await migrations.up();
    const [first = '', ...later] = migrations.names;
    const [down, up] = await Promise.all([connect().to(first), connect().up()]);
    expect(down.length).to.be.at.least(later.length).and.at.most(migrations.names.length);
    expect(up.length).to.be.at.most(migrations.names.length);
    const { applied } = await migrations.status();
    expect(applied).to.deep.equal(migrations.names.slice(0, applied.length));
  });
});
