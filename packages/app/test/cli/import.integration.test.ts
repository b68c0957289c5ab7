import { expect } from 'chai';
import { DIVISIONS, NORTH, SOUTH, useBulk } from './in-bulk.ts';

const HINT = 'To change users and divisions that are already stored, add --update.';

describe('chapter import', () => {
  const { chapter, done, empty, fault, file, rows, sql, stored } = useBulk();
  const importUsers = async (csv: string | Uint8Array) => fault('import', '--users', await file('users.csv', csv));
  const withNorth = async () => done('import', '--divisions', await file('divisions.csv', DIVISIONS));
  afterEach(empty);

  it('stores divisions, then users, with the same values as the API', async () => {
    const divisions = await file('divisions.csv', DIVISIONS);
    const users = await file(
      'users.csv',
      `username,division_id,email,first_name,last_name,groups,birthdate,is_active,is_staff,date_joined,password\n` +
        `Ada,${NORTH},Ada@Example.org,Ada,"Lovelace, Countess",User;Leader,1990-12-10,true,TRUE,2020-01-31,a long enough secret\n` +
        `gus,${SOUTH},,,,,,,,,\n`,
    );
    expect(await done('import', '--divisions', divisions, '--users', users)).to.deep.equal({
      imported: true,
      divisions: 2,
      users: 2,
    });
    const names = 'username, username_key, email, email_key, first_name_key, last_name_key';
    const flags = 'is_active, is_staff, is_superuser';
    const others = "date_joined = '2020-01-31T00:00Z', password_hash is null, version";
    const columns = `${names}, groups, birthdate, ${flags}, ${others}`;
    expect(await rows(columns, 'user_account order by username_key')).to.deep.equal([
      '(Ada,ada,Ada@Example.org,ada@example.org,ada,"lovelace, countess","{Leader,User}",1990-12-10,t,t,f,t,f,1)',
      '(gus,gus,,,"","",{},,t,f,f,f,t,1)',
    ]);
  });

  it('accepts the output of spreadsheets: a byte-order mark, CRLF, quotation marks, blank lines', async () => {
    await withNorth();
    const users = await file(
      'users.csv',
      `\ufeffusername, division_id ,first_name,email\r\n\r\n"ada","${NORTH}","Ada ""the"" First",\r\n  bob ,${NORTH},'=Bob,\r\n\r\n`,
    );
    expect(await done('import', '--users', users)).to.include({ users: 2 });
    expect(await sql('select username, first_name from user_account order by username')).to.deep.equal([
      { username: 'ada', first_name: 'Ada "the" First' },
      { username: 'bob', first_name: '=Bob' },
    ]);
  });

  it('reports every bad line with its number and all its faults', async () => {
    await withNorth();
    const other = '0190a000-0000-7000-8000-0000000000ff';
    const csv = [
      'id,username,division_id,email,birthdate,groups,is_staff,date_joined,password,password_hash,first_name',
      `,ada,${NORTH},ada@example.org,,,,,,,"two`,
      'lines"',
      `,a/b,north,no address,2000-02-30,Boss,maybe,yesterday,short,,`,
      '',
      `,bob,${NORTH},,,,,,a long enough secret,nohash,`,
      `x,,${other},,,,,,password1,,`,
      `,ADA,${NORTH},,,,,,Ada-secret-long,`,
      `,Ada,${other},ADA@example.org,,,,,,,`,
      'x',
    ].join('\r\n');
    expect((await importUsers(csv)).split('\n')).to.deep.equal([
      'users.csv, line 2: first_name contains a control or invisible character',
      'users.csv, line 4: username must contain only the characters A-Z a-z 0-9 . _ + @ -; email must be an email address with one @; ' +
        'birthdate must be a date that exists (YYYY-MM-DD); division_id must be a UUID; groups must contain only the groups Leader, Guest, User, separated by semicolons; ' +
        'is_staff must be true or false; date_joined must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00.000Z; ' +
        'password must have at least 8 characters',
      'users.csv, line 6: password_hash must be a scrypt-kdf hash in base64 (128 characters); ' +
        'password cannot be combined with password_hash; remove one of them',
      'users.csv, line 7: username is required; id must be a UUID; password is one of the most common passwords; ' +
        'division_id does not match a stored or imported division',
      'users.csv, line 8: has 10 values, but the header has 11 columns',
      'users.csv, line 9: division_id does not match a stored or imported division; ' +
        'email is already used in line 2; username is already used in line 2',
      'users.csv, line 10: has 1 value, but the header has 11 columns',
      '7 bad lines; nothing was imported.',
      '',
    ]);
    expect(await stored()).to.deep.equal([2, 0, 2]);
  });

  it('reports values that are already used in the file or in the database, and names --update if it helps', async () => {
    await withNorth();
    const id = '0190a000-0000-7000-8000-000000000001';
    await done(
      'import',
      '--users',
      await file('first.csv', `id,username,division_id,email\n${id},ada,${NORTH},a@x.org\n`),
    );
    const csv = `id,username,division_id,email\n${id.toUpperCase()},ADA,${NORTH},A@X.ORG\n,bob,${NORTH},\n,Bob,${NORTH},\n`;
    expect(await importUsers(csv)).to.equal(
      'users.csv, line 2: email is already used by a stored user; id is already used by a stored user; ' +
        'username is already used by a stored user\n' +
        `users.csv, line 4: username is already used in line 3\n2 bad lines; nothing was imported. ${HINT}\n`,
    );
    const divisions = await file('divisions.csv', `id,name\n${NORTH},EAST\n,north\n,West\n,WEST\n`);
    expect(await fault('import', '--divisions', divisions)).to.equal(
      'divisions.csv, line 2: id is already used by a stored division\n' +
        'divisions.csv, line 3: name is already used by a stored division\n' +
        `divisions.csv, line 5: name is already used in line 4\n3 bad lines; nothing was imported. ${HINT}\n`,
    );
    // An update would not help: it would create users with the same email.
    expect(await importUsers(`username,division_id,email\nbob,${NORTH},a@x.org\n`)).to.equal(
      'users.csv, line 2: email is already used by a stored user\n1 bad line; nothing was imported.\n',
    );
    expect(await stored()).to.deep.equal([2, 1, 3]);
  });

  it('reports the first 100 bad lines and counts all, also in JSON', async () => {
    await withNorth();
    const rows = Array.from({ length: 5000 }, (_, at) => `u${at % 4000},${NORTH},${at % 8 === 0 ? 'x' : ''}`);
    const users = await file('users.csv', `username,division_id,email\n${rows.join('\n')}\n`);
    const err = await fault('import', '--users', users);
    expect(err.split('\n')).to.have.length(102);
    // 625 invalid emails and 1,000 repeated usernames, of which 125 are on the same lines.
    expect(err).to.match(/\n1,500 bad lines; nothing was imported\. The first 100 are listed above\.\n$/);
    const { out, status } = await chapter('import', '--users', users, '--json');
    const value = JSON.parse(out) as { faults: unknown[] };
    expect([status, value.faults.length]).to.deep.equal([1, 100]);
    expect(value).to.deep.include({ imported: false, bad_lines: 1500 });
    expect(value.faults[1]).to.deep.equal({
      file: 'users.csv',
      line: 10,
      field: 'email',
      detail: 'must be an email address with one @',
    });
    expect(await stored()).to.deep.equal([2, 0, 2]);
  });

  it('stores neither file if one has a bad line', async () => {
    const divisions = await file('divisions.csv', DIVISIONS);
    const users = await file('users.csv', `username,division_id\nada,${NORTH}\nada,${NORTH}\n`);
    expect(await fault('import', '--divisions', divisions, '--users', users)).to.match(/^users.csv, line 3/);
    const wrong = await file('wrong.csv', `id,name,logo\n${NORTH},North,javascript:x\n`);
    const both = await fault('import', '--divisions', wrong, '--users', users);
    expect(both).to.match(/^wrong.csv, line 2: logo must be .*\nusers.csv, line 3: username .*\n2 bad lines/);
    expect(await stored()).to.deep.equal([0, 0, 0]);
  });
});
