import { DomainError } from '@chapter/domain';
import { expect } from 'chai';
import type { PrepareTemplate } from '../../../../test-support/database.ts';
import { makePool } from '../../src/connection/pool.ts';
import type { Migrations } from '../../src/index.ts';
import type { LockWaits } from '../../src/schema/lock-waits.ts';
import { makeMigrations } from '../../src/schema/migrator.ts';
import { useOwnDatabase } from '../support/use-own-database.ts';

/** Longer than any test takes, so that a test fails instead of waiting. */
const LONG_TIMEOUT_MS = 200_000;
/** Short, so that a migration is repeated soon. */
const SHORT_TIMEOUT_MS = 100;

const READ = 'select count(*)::int as count from user_account, audit_entry';
const BEFORE = '0005-indexes-of-sessions-and-changes';
const BUILD = '0006-tables-and-next-indexes';
const EXCHANGE = '0007-exchange-indexes';

/** The state of the session that holds the migration lock, and its locks, except those of system tables. */
const HOLDER = `select a.state, array_agg(l.locktype || ' ' || l.mode) as locks
  from pg_locks l join pg_stat_activity a using (pid)
  where l.database = (select oid from pg_database where datname = current_database())
    and coalesce(l.relation >= 16384, true)
    and l.pid in (select pid from pg_locks where locktype = 'advisory' and granted and database = l.database)
  group by a.state`;

const WAITS = `select wait_event from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

const ONE_ATTEMPT: LockWaits = {
  timeoutMs: LONG_TIMEOUT_MS,
  attempts: 1,
  pauseMs: 0,
  pause: async () => {
    throw new Error('the migration had to be repeated');
  },
};

const manyAttempts = (pause: LockWaits['pause']): LockWaits => ({
  timeoutMs: SHORT_TIMEOUT_MS,
  attempts: Number.POSITIVE_INFINITY,
  pauseMs: 0,
  pause,
});

/** Migrates to {@link BUILD}. */
const build: PrepareTemplate = async (url) => {
  const pool = makePool({ url });
  await makeMigrations({ url }, pool).to(BUILD);
  await pool.end();
};

describe('A migration that cannot lock a table', () => {
  const { blockers, openPool, sql, url: ownerUrl } = useOwnDatabase(build);
  const migrationsWith = (waits: LockWaits): Migrations => makeMigrations({ url: ownerUrl() }, openPool(), waits);

  /** Begins a transaction that reads users, as an export does. */
  const beginReading = async () => {
    const reader = await blockers.begin();
    await reader.run('set transaction isolation level repeatable read');
    await reader.run(READ);
    return reader;
  };

  for (const [name, to] of [
    [EXCHANGE, EXCHANGE],
    [BUILD, BEFORE],
    ['renumber-audit-entries', null],
  ] as const) {
    it(`lets reads pass and is repeated until a long reader ends: ${name}, to ${to ?? 'the last'}`, async () => {
      const migrations = migrationsWith(ONE_ATTEMPT);
      if (!to) await migrations.up();
      await sql().query(`comment on table audit_entry is 'Transaction ids of cluster 1'`);
      const reader = await beginReading();
      const repeated = Promise.withResolvers<void>();
      let pauses = 0;
      const pause = async (): Promise<void> => {
        pauses++;
        const { rows } = await sql().query(HOLDER);
        expect(rows).to.deep.equal([{ state: 'idle in transaction', locks: ['advisory ExclusiveLock'] }]);
        if (pauses === 2) repeated.resolve();
      };
      const reports: string[] = [];
      const report = (migration: string) => reports.push(migration);
      const repeating = migrationsWith(manyAttempts(pause));
      const run = to ? repeating.to(to, report) : repeating.up(report);
      await blockers.untilWaiting(1, run);
      // Queues up behind the migration, which soon stops waiting.
      expect((await sql().query(READ)).rows).to.deep.equal([{ count: 0 }]);
      await Promise.race([repeated.promise, run]);
      await reader.commit();
      expect(await run).to.deep.equal(to ? [name] : []);
      expect(reports).to.deep.equal([name]);
    });
  }

  it('keeps the migration lock in a pause, so that no other instance makes an attempt', async () => {
    const reader = await beginReading();
    const paused = Promise.withResolvers<void>();
    const other = Promise.withResolvers<readonly string[]>();
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses++;
      paused.resolve();
      await blockers.untilWaiting(1, other.promise);
      expect((await sql().query(WAITS)).rows).to.deep.equal([{ wait_event: 'advisory' }]);
      if (pauses === 2) await reader.commit();
    };
    const start = () => migrationsWith(manyAttempts(pause)).to(EXCHANGE);
    const run = start();
    await Promise.race([paused.promise, run]);
    other.resolve(start());
    expect(await run).to.deep.equal([EXCHANGE]);
    expect(await other.promise).to.deep.equal([]);
  });

  it('may pause for longer than a transaction may be idle', async () => {
    const reader = await beginReading();
    let hasPaused = false;
    const pause = async (): Promise<void> => {
      if (hasPaused) return;
      hasPaused = true;
      await reader.run('select pg_sleep(1)');
      await reader.commit();
    };
    const url = new URL(ownerUrl());
    url.searchParams.set('idle_in_transaction_session_timeout', '500');
    expect(await makeMigrations({ url: url.href }, openPool(), manyAttempts(pause)).to(EXCHANGE)).to.deep.equal([
      EXCHANGE,
    ]);
  });

  it('fails with the reason for which the server closed its connection in a pause', async () => {
    const reader = await beginReading();
    const pause = () =>
      sql().query(`select pg_terminate_backend(pid, ${LONG_TIMEOUT_MS}) from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`);
    const error = await migrationsWith(manyAttempts(pause))
      .to(EXCHANGE)
      .catch((reason: unknown) => reason);
    expect(String((error as DomainError).cause)).to.include('SQLSTATE 57P01');
    await reader.commit();
  });

  it('reports that it waits, fails after its last attempt with an error that names it, and is continued by the next run', async () => {
    const migrations = migrationsWith(ONE_ATTEMPT);
    const reader = await beginReading();
    const pauses: number[] = [];
    const pause = async (milliseconds: number): Promise<void> => {
      pauses.push(milliseconds);
    };
    const failing = migrationsWith({ timeoutMs: SHORT_TIMEOUT_MS, attempts: 2, pauseMs: 300, pause });
    const reports: unknown[] = [];
    const error = await failing.up((...report) => reports.push(report)).catch((reason: unknown) => reason);
    expect(pauses).to.deep.equal([300]);
    expect(reports).to.deep.equal([[EXCHANGE, 2 * (SHORT_TIMEOUT_MS + 300)]]);
    if (!(error instanceof DomainError)) expect.fail('must be a DomainError');
    expect(error.code).to.equal('unavailable');
    expect(String(error.cause)).to.equal(
      `Error: the migration was refused: another transaction, such as an export, uses a table that ${EXCHANGE} must ` +
        'lock; it was still open at attempt 2; wait for its end, then migrate again',
    );
    expect(error.cause).to.have.nested.property('cause.code', '55P03');
    expect((await migrations.status()).applied.at(-1)).to.equal(BUILD);
    await reader.commit();
    expect((await migrations.up())[0]).to.equal(EXCHANGE);
    expect((await migrations.status()).state).to.equal('current');
  });

  it('holds no lock that a reader could wait for while it waits for that reader', async () => {
    const migrations = migrationsWith(ONE_ATTEMPT);
    const reader = await beginReading();
    const run = migrations.to(EXCHANGE);
    await blockers.untilWaiting(1, run);
    // With a lock held, this would be a deadlock.
    await reader.run('select from user_account for update');
    await reader.commit();
    expect(await run).to.deep.equal([EXCHANGE]);
  });

  it('gives way to a transaction that uses divisions, long before PostgreSQL would look for a deadlock', async () => {
    const reader = await blockers.begin();
    await reader.run('select from division');
    const waits = { ...ONE_ATTEMPT, attempts: 2, pause: () => reader.commit() };
    expect(await migrationsWith(waits).to(EXCHANGE)).to.deep.equal([EXCHANGE]);
  });

  it('lets refreshes, and logins with a current hash, pass when it builds an index of users', async () => {
    const migrations = migrationsWith(ONE_ATTEMPT);
    await migrations.to(BEFORE);
    const writer = await blockers.begin();
    await writer.run('lock table user_account in row exclusive mode');
    const run = migrations.to(BUILD);
    await blockers.untilWaiting(1, run);
    // Requests conflict with a lock that the build waits for as they do with the lock that it then holds.
    const login = await blockers.begin();
    await login.run(`set local lock_timeout = ${LONG_TIMEOUT_MS / 2}`);
    await login.run('select from user_account for share');
    await login.commit();
    await writer.commit();
    expect(await run).to.deep.equal([BUILD]);
  });
});
