import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { defaults } from 'pg';
import { asRole, useTestDatabase } from '../../../../test-support/database.ts';
import { makeFolder } from '../../../../test-support/folders.ts';
import { query } from '../../../../test-support/query.ts';
import { call } from './call.ts';

describe('The command line with separate serving and owner roles', () => {
  const database = useTestDatabase(undefined, { each: true });
  let serving: string;
  let role: string;

  const chapter = (args: string | readonly string[], more: Record<string, string> = {}, input = '') => {
    const urls = { DATABASE_URL: serving, OWNER_DATABASE_URL: database.url };
    return call(typeof args === 'string' ? args.split(' ') : args, {
      variables: { ...urls, MIGRATE_ON_START: 'false', ...more },
      input,
    });
  };

  beforeEach(async () => {
    serving = await asRole(database.url, 'serving');
    role = new URL(serving).username;
  });

  it('migrates as the owner, grants the rights to serve once, and reports it', async () => {
    const { err, out, status } = await chapter('migrate');
    expect([status, err]).to.deep.equal([0, '']);
    expect(out).to.match(/^Migrations run:\n {2}0001-/);
    expect(out)
      .to.include(`\nRights changed for ${role}:\n`)
      .and.to.include(`  grant select, insert on table audit_entry to`);
    expect(await chapter('migrate')).to.deep.equal({ status: 0, out: 'Nothing to do.\n', err: '' });
    expect(await chapter('migrate --status')).to.include({ status: 0 });
  });

  it('stores in both roles what a session must have that a pooler opens, for this database only', async () => {
    const { err, out, status } = await chapter('migrate --role-settings', {
      DATABASE_URL: `${serving}?statement_timeout=3000&options=-c%20random_page_cost%3D2`,
    });
    expect([status, err]).to.deep.equal([0, '']);
    const name = new URL(database.url).pathname.slice(1);
    expect(out).to.include(`\nSettings stored:\n  alter role "`);
    expect(out).to.include(`  alter role "${role}" in database "${name}" set statement_timeout = '3000';\n`);
    const names = 'jit, random_page_cost, statement_timeout, lock_timeout, DateStyle, IntervalStyle, TimeZone';
    const show = async (url: string) =>
      Object.values(
        (await query(url, `select array[${names.replaceAll(/\w+/g, `current_setting('$&')`)}] as all`))[0] ?? {},
      )[0];
    const formats = ['ISO, YMD', 'iso_8601', 'UTC'];
    expect(await show(serving)).to.deep.equal(['off', '2', '3s', '2500ms', ...formats]);
    expect(await show(database.url)).to.deep.equal(['off', '1.1', '15s', '2500ms', ...formats]);
    expect(await chapter('migrate --role-settings'))
      .to.have.property('out')
      .that.matches(
        /^Settings stored:\n[^\n]+ set random_page_cost = '1.1';\n[^\n]+ set statement_timeout = '4000';\n[^\n]+ set idle_in_transaction_session_timeout = '4000';\n$/,
      );
    expect((await chapter('migrate --role-settings')).out).to.equal('Nothing to do.\n');
    expect(await chapter('migrate --status --role-settings')).to.include({ status: 2 });
    const [stored] = await query(database.url, 'select count(*)::int from pg_db_role_setting where setdatabase = 0');
    expect(stored).to.deep.equal({ count: 0 });
  });

  it('runs all other commands as the serving role', async () => {
    await chapter('migrate');
    const asServing = { OWNER_DATABASE_URL: '' };
    const commands = [
      'divisions create --name North',
      'divisions create --name South',
      'users create --division North --username ada --group Leader --password-stdin',
      'users set --user ada --active false --force',
      'users move --user ada --division South',
      'users list --dormant 1',
      'users show --user ada',
      'users delete --user ada --yes',
      'divisions rename --division North --name West',
      'divisions delete --division West',
      'audit --division South',
    ];
    for (const args of commands) {
      expect(await chapter(args, asServing, 'a long enough secret'), args).to.include({ status: 0, err: '' });
    }
    const owners = await query(database.url, `select distinct tableowner from pg_tables where schemaname = 'public'`);
    expect(owners).to.deep.equal([{ tableowner: new URL(database.url).username }]);
  });

  it('imports as the owner, which can rebuild indexes; the serving role keeps them and reports it', async () => {
    await chapter('migrate');
    const folder = makeFolder();
    const importNamed = async (prefix: string, more?: Record<string, string>) => {
      const path = join(folder, `${prefix}.csv`);
      // More than the stored ones.
      const count = prefix === 'North' ? 1000 : 2000;
      await writeFile(path, `name\n${Array.from({ length: count }, (_, at) => `${prefix} ${at}\n`).join('')}`);
      return chapter(['import', '--divisions', path], more);
    };
    expect(await importNamed('North')).to.deep.equal({
      status: 0,
      out: 'Imported 1,000 divisions and 0 users.\n',
      err: '',
    });
    expect(await importNamed('South', { OWNER_DATABASE_URL: '' })).to.deep.equal({
      status: 0,
      out: 'Imported 2,000 divisions and 0 users.\n',
      err: 'The import keeps the indexes, which makes it slower: only the owner of the tables can rebuild them; set OWNER_DATABASE_URL.\n',
    });
  });

  it('reports the statements that an administrator must run, and fails until they are run', async () => {
    const missing = Object.assign(new URL(serving), { username: 'chapter_test_missing' }).href;
    const { err, out, status } = await chapter('migrate', { DATABASE_URL: missing });
    expect(status).to.equal(1);
    expect(out).to.match(/\n\nAn administrator must run:\n {2}create role "chapter_test_missing" login;\n$/);
    expect(err).to.match(/^The role chapter_test_missing lacks rights.*run "chapter migrate" again\.\n$/);
    const json = await chapter('migrate --json', { DATABASE_URL: missing });
    expect(JSON.parse(json.out)).to.deep.include({
      run: [],
      granted: [],
      refused: ['create role "chapter_test_missing" login'],
      state: 'current',
    });
  });

  it('refuses to start with MIGRATE_ON_START while the serving role has too many rights', async () => {
    const owner = new URL(database.url).username;
    await query(database.url, `grant ${owner} to ${role}`);
    const { err, status } = await chapter('divisions list', { MIGRATE_ON_START: 'true' });
    await query(database.url, `revoke ${owner} from ${role}`);
    expect(status).to.equal(1);
    expect(err).to.match(
      /lacks rights or has too many; ask an administrator to run:\n {2}revoke "[^"]+" from "[^"]+";\n$/,
    );
  });

  it('asks to migrate as the owner if the serving role cannot read the schema', async () => {
    await chapter('migrate', { DATABASE_URL: database.url });
    const { err, status } = await chapter('divisions list');
    expect(status).to.equal(1);
    expect(err).to.include('cannot be read').and.to.include('run "chapter migrate" with OWNER_DATABASE_URL');
  });

  it('asks for a role in DATABASE_URL if the environment names none either', async () => {
    const { PGUSER } = process.env;
    const { user } = defaults;
    delete process.env['PGUSER'];
    Reflect.deleteProperty(defaults, 'user');
    try {
      const { err, status } = await chapter('migrate', { DATABASE_URL: 'postgresql://127.0.0.1/chapter' });
      expect(status).to.equal(1);
      expect(err).to.equal('DATABASE_URL does not name a role; add one, as in postgresql://role@host/database.\n');
    } finally {
      if (PGUSER !== undefined) process.env['PGUSER'] = PGUSER;
      if (user !== undefined) defaults.user = user;
    }
  });

  it('names OWNER_DATABASE_URL if the owner cannot connect', async () => {
    const wrong = Object.assign(new URL(database.url), { password: 'wrong' }).href;
    const { err, status } = await chapter('migrate', { OWNER_DATABASE_URL: wrong });
    expect(status).to.equal(1);
    expect(err)
      .to.match(/heck OWNER_DATABASE_URL\.\n$/)
      .and.not.to.include('wrong');
  });
});
