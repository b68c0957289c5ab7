import { expect } from 'chai';
import { NORTH, SOUTH } from './in-bulk.ts';
import { ADA, BOB, CAL, counts, UNKNOWN, useStoredUsers } from './stored-users.ts';

describe('chapter import --update', () => {
  const { audited, done, file, links, path, rows, sessions, sql, update, users } = useStoredUsers();

  it('changes the given columns of users that it finds by id or by username, and no other column', async () => {
    const csv = `id,username,first_name\n${ADA},ada2,Augusta\n,BOB,Robert\n,cal,Cal\n`;
    expect(await update(csv)).to.deep.equal(counts(0, 2, 1));
    const columns = 'id, version, username, username_key, email, first_name, first_name_key, last_name';
    expect(await rows(columns, 'user_account order by id')).to.deep.equal([
      `(${ADA},2,ada2,ada2,ada@example.org,Augusta,augusta,Lovelace)`,
      `(${BOB},2,BOB,bob,bob@example.org,Robert,robert,Stone)`,
      `(${CAL},1,cal,cal,cal@example.org,Cal,cal,Reed)`,
    ]);
    expect(await sessions()).to.deep.equal([ADA, BOB, CAL]);
    expect(await links()).to.deep.equal([ADA, BOB, CAL]);
  });

  it('creates users that match no stored one, with the defaults', async () => {
    const created = UNKNOWN;
    const csv = [
      'id,username,division_id,is_staff,date_joined',
      `${created},dan,${NORTH},true,2020-01-31`,
      `,eve,${SOUTH},,`,
      `${BOB},bob,${NORTH},false,2020-01-31`,
    ].join('\n');
    expect(await update(csv)).to.deep.equal(counts(2, 1, 0));
    const columns = 'username, version, first_name_key, groups, is_active, is_staff, password_hash';
    expect(await rows(columns, `user_account where username in ('dan', 'eve') order by username`)).to.deep.equal([
      '(dan,1,"",{User},t,t,)',
      '(eve,1,"",{User},t,f,)',
    ]);
  });

  it('takes an empty cell as null, as the empty text or as no groups', async () => {
    const csv = `username,email,first_name,birthdate,groups\nbob,,,,\nada,ada@example.org,Ada,,Leader;User\n`;
    expect(await update(csv)).to.deep.equal(counts(0, 2, 0));
    const columns = 'username, version, email, email_key, first_name, birthdate, groups';
    expect(await rows(columns, `user_account where username <> 'cal' order by username`)).to.deep.equal([
      '(ada,2,ada@example.org,ada@example.org,Ada,,"{Leader,User}")',
      '(bob,2,,,"",,{})',
    ]);
  });

  for (const options of [[], ['--with-hashes']]) {
    it(`changes nothing when it imports an export (${options.join('') || 'without hashes'})`, async () => {
      await sql(`update user_account set first_name = '=1+1', first_name_key = '=1+1' where id = '${BOB}'`);
      await sql(`update user_account set groups = '{}', email = null, email_key = null where id = '${CAL}'`);
      const files = ['--divisions', path('exported-divisions.csv'), '--users', path('exported-users.csv')];
      await done('export', ...files, ...options, '--force');
      const state = async () =>
        sql(`select u::text from user_account u union all select d::text from division d
        union all select a::text from audit_entry a union all select s::text from session s
        union all select l::text from password_link l order by 1`);
      const before = await state();
      expect(await done('import', '--update', ...files)).to.deep.equal({
        imported: true,
        divisions: { created: 0, changed: 0, unchanged: 2 },
        users: { created: 0, changed: 0, unchanged: 3 },
      });
      expect(await state()).to.deep.equal(before);
    });
  }

  it('changes divisions by id or by name, and the ETag of their users only with the name', async () => {
    const east = '0190a000-0000-7000-8000-0000000000c0';
    const csv = `id,name,fanpage\n${NORTH},Far North,\n,SOUTH,https://example.org/s\n${east},East,\n`;
    const moved = await file('moved.csv', `username,division_id\nbob,${east}\n`);
    expect(await done('import', '--update', '--divisions', await file('d.csv', csv), '--users', moved)).to.deep.equal({
      imported: true,
      divisions: { created: 1, changed: 2, unchanged: 0 },
      users: { created: 0, changed: 1, unchanged: 0 },
    });
    expect(await rows('name, name_key, logo, fanpage, version, name_version', 'division order by id')).to.deep.equal([
      '("Far North","far north",https://example.org/n.png,,2,2)',
      '(SOUTH,south,,https://example.org/s,2,2)',
      '(East,east,,,1,1)',
    ]);
    const fanpage = await file('f.csv', 'name,fanpage\nSOUTH,\n');
    await done('import', '--update', '--divisions', fanpage);
    expect(await sql(`select version, name_version from division where name = 'SOUTH'`)).to.deep.equal([
      { version: 3, name_version: 2 },
    ]);
  });

  it('updates more users than one statement stores', async () => {
    const many = Array.from({ length: 1000 }, (_, at) => `m${at},${NORTH},Name ${at}`);
    await update(['username,division_id,first_name', ...many].join('\n'));
    const changed = many.map((line, at) => (at % 2 === 0 ? `${line}x` : line)).toReversed();
    expect(await update(['username,division_id,first_name', ...changed].join('\n'))).to.deep.equal(counts(0, 500, 500));
    expect(
      await sql(`select count(*)::int as users, min(version) as least, max(version) as most from user_account
        where first_name like 'Name %x'`),
    ).to.deep.equal([{ users: 500, least: 2, most: 2 }]);
    expect(await audited()).to.have.length(500);
  });

  it('moves a user as User unless the file gives groups, voids the password link, and keeps sessions', async () => {
    const dan = `id,username,division_id,groups\n,dan,${NORTH},Leader\n`;
    await update(dan);
    expect(await update(`username,division_id\nada,${SOUTH}\nbob,${NORTH}\n`)).to.deep.equal(counts(0, 1, 1));
    expect(await update(`username,division_id,groups\nbob,${SOUTH},Guest\n`)).to.deep.equal(counts(0, 1, 0));
    expect(await users('division_id, groups::text', `username in ('ada', 'bob')`)).to.deep.equal([
      { username: 'ada', version: 2, division_id: SOUTH, groups: '{User}' },
      { username: 'bob', version: 2, division_id: SOUTH, groups: '{Guest}' },
    ]);
    for (const name of ['North', 'South']) {
      const entries = (await done('audit', '--division', name)) as { action: string }[];
      expect(entries.filter(({ action }) => action === 'moveUser')).to.have.length(2);
    }
    expect(await links()).to.deep.equal([CAL]);
    expect(await sessions()).to.deep.equal([ADA, BOB, CAL]);
  });

  it('ends the sessions and voids the link of a user with a new password or hash, and leaves users without one', async () => {
    const [ada] = await sql<{ password_hash: string }>(`select password_hash from user_account where id = '${ADA}'`);
    expect(await update('username,password\nada,\nbob,a brand new secret\n')).to.deep.equal(counts(0, 1, 1));
    expect(await sessions()).to.deep.equal([ADA, CAL]);
    expect(await links()).to.deep.equal([ADA, CAL]);
    expect((await audited())[0]?.changes).to.deep.equal({ password: { old: null, new: 'changed' } });
    const csv = `username,password_hash\nada,${ada?.password_hash}\ncal,${ada?.password_hash}\nbob,\n`;
    expect(await update(csv)).to.deep.equal(counts(0, 2, 1));
    expect(await users('password_hash')).to.deep.equal([
      { username: 'ada', version: 1, password_hash: ada?.password_hash },
      { username: 'bob', version: 3, password_hash: null },
      { username: 'cal', version: 2, password_hash: ada?.password_hash },
    ]);
    expect(await sessions()).to.deep.equal([ADA]);
    expect(await links()).to.deep.equal([ADA]);
    expect(await sql(`select from audit_entry where changes::text like '%secret%'`)).to.deep.equal([]);
  });
});
