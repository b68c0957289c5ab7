import { once } from 'node:events';
import { expect } from 'chai';
import { connectClient } from '../../../../test-support/query.ts';
import { DIVISIONS, NORTH, useBulk } from './in-bulk.ts';

describe('chapter import, interrupted', () => {
  const { begin, done, empty, file, sql, stored, url } = useBulk();
  afterEach(empty);

  const files = async (): Promise<string[]> => {
    const rows = Array.from({ length: 300 }, (_, at) => `u${at},${NORTH},a long enough secret ${at}`);
    const divisions = await file('divisions.csv', DIVISIONS);
    const users = await file('users.csv', `username,division_id,password\n${rows.join('\n')}\n`);
    return ['import', '--divisions', divisions, '--users', users];
  };
  const importsAfterwards = async (): Promise<void> => {
    expect(await done(...(await files()))).to.deep.equal({ imported: true, divisions: 2, users: 300 });
  };

  // Each lock blocks the import at the statement that needs the locked table.
  for (const [where, lock] of [
    ['while lines are checked', 'lock table user_account in access exclusive mode'],
    ['while rows are stored', 'lock table audit_entry in share mode'],
  ] as const) {
    it(`stores nothing, says so, and exits with status 130 after SIGINT ${where}`, async () => {
      const holder = await connectClient(url(), `begin; ${lock}`);
      const { called, child } = begin(await files());
      const waits = `select from pg_stat_activity
        where datname = current_database() and application_name = 'chapter' and wait_event_type = 'Lock'`;
      while ((await sql(waits)).length === 0) await new Promise(setImmediate);
      child.kill('SIGINT');
      const { err, out, status } = await called;
      await holder.end();
      expect([status, out]).to.deep.equal([130, '']);
      expect(err).to.match(/^(Hashing 300 passwords; .*\n)?Interrupted by SIGINT; nothing was imported\.\n$/);
      expect(await stored()).to.deep.equal([0, 0, 0]);
    });
  }

  it('stores nothing, says so, and exits with status 143 after SIGTERM while passwords are hashed', async () => {
    const { called, child } = begin([...(await files()), '--json'], { SCRYPT_LOG_N: '15' });
    await once(child.stderr, 'data');
    child.kill('SIGTERM');
    expect(await called).to.deep.equal({
      status: 143,
      out: '',
      err: 'Hashing 300 passwords; this is slow by design.\nInterrupted by SIGTERM; nothing was imported.\n',
    });
    expect(await stored()).to.deep.equal([0, 0, 0]);
    await importsAfterwards();
  });

  it('keeps the import, and says so, after SIGINT while it lists the missing users', async () => {
    await done(...(await files()));
    const users = await file('register.csv', 'username,first_name\nu1,Uma\n');
    const waiting = async (text: string) =>
      sql(`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '${text}%'`);
    const holder = await connectClient(url(), 'begin; lock table audit_entry in share mode');
    const locker = await connectClient(url());
    const { called, child } = begin(['import', '--users', users, '--update', '--missing', 'list']);
    while ((await waiting('insert into audit_entry')).length === 0) await new Promise(setImmediate);
    // It waits for the end of the import, and the list waits for it.
    const locked = locker.query('begin; lock table user_account in access exclusive mode');
    while ((await waiting('begin; lock table')).length === 0) await new Promise(setImmediate);
    await holder.end();
    await locked;
    while ((await waiting('declare missing')).length === 0) await new Promise(setImmediate);
    child.kill('SIGINT');
    expect(await called).to.deep.equal({
      status: 130,
      out: '',
      err: 'Users: 0 created, 1 changed, 0 unchanged\nInterrupted by SIGINT; the import is complete, but the list of missing users is not.\n',
    });
    await locker.end();
    expect(await sql(`select username from user_account where first_name = 'Uma'`)).to.deep.equal([{ username: 'u1' }]);
  });

  const ofImport = `select from pg_stat_activity
    where datname = current_database() and application_name = 'chapter' and xact_start is not null`;

  it('is idle for the database while it is stopped, also while it hashes passwords', async () => {
    const { called, child } = begin(await files(), { SCRYPT_LOG_N: '15' });
    await once(child.stderr, 'data');
    child.kill('SIGSTOP');
    const idle = `${ofImport} and state = 'idle in transaction'`;
    while ((await sql(idle)).length === 0) await new Promise(setImmediate);
    for (const signal of ['SIGTERM', 'SIGCONT'] as const) child.kill(signal);
    expect((await called).status).to.equal(143);
  });

  it('loses its locks while it is stopped, and says so when it continues', async () => {
    // The server allows 5 minutes; the trigger shortens them in the transaction of the import.
    await sql(`create function shorten_idle_limit() returns trigger language plpgsql as $$ begin
        perform set_config('idle_in_transaction_session_timeout', '100', true);
        return null;
      end $$;
      create trigger shorten_idle_limit after insert on audit_entry execute function shorten_idle_limit()`);
    const holder = await connectClient(url(), 'begin; lock table audit_entry in share mode');
    const { called, child } = begin(await files());
    while ((await sql(`${ofImport} and wait_event_type = 'Lock'`)).length === 0) await new Promise(setImmediate);
    child.kill('SIGSTOP');
    await holder.end();
    while ((await sql(ofImport)).length > 0) await new Promise(setImmediate);
    await sql('drop function shorten_idle_limit cascade');
    await importsAfterwards();
    child.kill('SIGCONT');
    const { err, out, status } = await called;
    expect([status, out]).to.deep.equal([1, '']);
    expect(err).to.match(
      /^Hashing 300 passwords; .*\nThe command did nothing for 5 minutes, .*, so the database ended its transaction, which changed nothing\.\n$/,
    );
    expect(await stored()).to.deep.equal([2, 300, 302]);
  });

  it('exits immediately and silently after two signals', async () => {
    const { called, child } = begin([...(await files()), '--json'], { SCRYPT_LOG_N: '15' });
    await once(child.stderr, 'data');
    // The stopped process receives both signals at the same moment when it continues.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGTERM', 'SIGCONT'] as const) child.kill(signal);
    const { status, err } = await called;
    expect([130, 143]).to.include(status);
    expect(err).to.equal('Hashing 300 passwords; this is slow by design.\n');
  });
});
