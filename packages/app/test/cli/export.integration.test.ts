import { chmod, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import { expect } from 'chai';
import { DIVISIONS, NORTH, SOUTH, useBulk } from './in-bulk.ts';

/** Stores members whose fields have all kinds of values. */
const members = (count: number): string => {
  const header =
    'username,division_id,email,first_name,last_name,groups,birthdate,is_active,is_staff,is_superuser,password';
  const names = `Ada|"quoted"|a,b|=1+1|'=x|'plain|-|@SUM(A1)|Zoë|日本||＝x|ς|;|#`.split('|');
  const groups = ['', 'User', 'Leader;Guest', 'Guest;User'];
  const rows = Array.from({ length: count }, (_, at) => {
    const name = (names[at % names.length] ?? '').replaceAll('"', '""');
    const guarded = /^'+=/.test(name) ? `'${name}` : name;
    const password = at % 1000 === 0 ? `secret number ${at}` : '';
    return (
      `${at % 7 === 0 ? '+' : ''}u${at},${at % 2 ? NORTH : SOUTH},${at % 3 ? `u${at}@x.org` : ''},"${guarded}",` +
      `"${guarded}",${groups[at % 4]},${at % 5 ? `19${10 + (at % 90)}-02-03` : ''},${at % 11 !== 0},${at % 13 === 0},${at % 17 === 0},${password}`
    );
  });
  return `${header}\n${rows.join('\n')}\n`;
};

describe('chapter export', () => {
  const { chapter, done, empty, fault, file, path, read, sql } = useBulk();
  const load = async (count: number) => {
    const files = [await file('divisions.csv', DIVISIONS), await file('users.csv', members(count))] as const;
    await done('import', '--divisions', files[0], '--users', files[1]);
  };
  const both = async (suffix: string, ...more: string[]) => {
    const names = [`divisions-${suffix}.csv`, `users-${suffix}.csv`] as const;
    await done('export', '--divisions', path(names[0]), '--users', path(names[1]), '--force', ...more);
    return Promise.all(names.map(read));
  };
  afterEach(empty);

  for (const options of [[], ['--with-hashes']]) {
    it(`writes files that are exported byte for byte again after an import (${options.join('') || 'without hashes'})`, async () => {
      await load(1100);
      const first = await both('first', ...options);
      await empty();
      const args = ['--divisions', path('divisions-first.csv'), '--users', path('users-first.csv')];
      expect(await done('import', ...args)).to.deep.equal({ imported: true, divisions: 2, users: 1100 });
      expect(await both('second', ...options)).to.deep.equal(first);
      const [{ hashes } = { hashes: 0 }] = await sql<{ hashes: number }>(
        'select count(password_hash)::int as hashes from user_account',
      );
      expect(hashes).to.equal(options.length > 0 ? 2 : 0);
    });
  }

  it('writes the columns that an import accepts, and hashes only on request', async () => {
    await load(1);
    const [divisions, users] = await both('plain');
    expect(divisions).to.equal(DIVISIONS);
    expect(users).to.match(
      /^id,username,email,first_name,last_name,division_id,groups,birthdate,is_active,is_staff,is_superuser,date_joined\n[^\n]+Z\n$/,
    );
    expect((await both('hashes', '--with-hashes'))[1]).to.match(
      /,date_joined,password_hash\n.+,c2NyeXB0[\w+/]{120}\n$/,
    );
  });

  it('guards text that a spreadsheet would read as a formula, and removes the guard on import', async () => {
    await done('import', '--divisions', await file('d.csv', `id,name\n${NORTH},=cmd\n`));
    const users = `username,division_id,first_name,last_name\n+1,${NORTH},@x,''=y\n-2,${NORTH},'plain,−-\n`;
    await done('import', '--users', await file('u.csv', users));
    const [divisions = '', exported = ''] = await both('guarded');
    expect(divisions).to.include(`${NORTH},'=cmd,,`);
    expect(exported).to.include(`,'+1,,'@x,''=y,`).and.to.include(`,'-2,,'plain,'−-,`);
    expect(await sql('select first_name, last_name from user_account order by username')).to.deep.equal([
      { first_name: '@x', last_name: "'=y" },
      { first_name: "'plain", last_name: '−-' },
    ]);
  });

  it('writes complete files that only their owner can read', async () => {
    await load(10);
    await mkdir(path('out'));
    await chapter('export', '--users', path('out/users.csv'));
    expect((await stat(path('out/users.csv'))).mode & 0o777).to.equal(0o600);
    expect(await fault('export', '--users', path('out/users.csv'))).to.match(
      /users.csv already exists; choose another name, or overwrite it with --force\.\n$/,
    );
    await chmod(path('out/users.csv'), 0o644);
    expect(await done('export', '--users', path('out/users.csv'), '--force')).to.deep.equal({ users: 10 });
    expect((await stat(path('out/users.csv'))).mode & 0o777).to.equal(0o600);
    expect(await readdir(path('out'))).to.deep.equal(['users.csv']);
  });

  it('reports why a file cannot be written', async () => {
    await symlink('/dev/null', path('link'));
    expect(await fault('export', '--users', path('link'), '--force')).to.match(/it is not a regular file/);
    expect(await fault('export', '--users', 'none/x.csv')).to.equal(
      `${process.cwd()}/none/x.csv cannot be written: no such file or directory.\n`,
    );
    expect(await fault('export', '--users', path('x.csv'), '--divisions', path('x.csv'))).to.match(
      /name the same file; use two files/,
    );
    expect(await readdir(path('.'))).not.to.include('x.csv');
    expect((await chapter('export')).status).to.equal(2);
  });
});
