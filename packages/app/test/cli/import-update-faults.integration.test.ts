import { expect } from 'chai';
import { badUsers, NORTH, SOUTH } from './in-bulk.ts';
import { ADA, BOB, UNKNOWN, useStoredUsers } from './stored-users.ts';

describe('chapter import --update of lines with faults', () => {
  const { chapter, done, fault, file, sql, stored, update } = useStoredUsers();
  const faultOf = async (csv: string, ...options: readonly string[]) =>
    fault('import', '--update', '--users', await file('users.csv', csv), ...options);
  const versions = async () => sql('select distinct version from user_account union all select version from division');

  afterEach(async () => {
    expect(await stored()).to.deep.equal([2, 3, 5]);
    expect(await versions()).to.deep.equal([{ version: 1 }, { version: 1 }, { version: 1 }]);
  });

  it('refuses an id and a username of different users, also where two users would exchange their usernames', async () => {
    const detail = 'username belongs to another stored user';
    expect(await faultOf(`id,username\n${ADA},bob\n${BOB},ada\n${ADA.toUpperCase()},ada\n`)).to.equal(
      badUsers(
        `line 2: ${detail}`,
        `line 3: ${detail}`,
        'line 4: id is that of the user in line 2; username is already used in line 3',
      ),
    );
    expect(await faultOf(`id,username,division_id\n${UNKNOWN},ADA,${NORTH}\n`)).to.equal(badUsers(`line 2: ${detail}`));
    const divisions = await file('d.csv', `id,name\n${NORTH},south\n`);
    expect(await fault('import', '--update', '--divisions', divisions)).to.equal(
      'd.csv, line 2: name belongs to another stored division\n1 bad line; nothing was imported.\n',
    );
  });

  it('refuses a second line for the same user', async () => {
    expect(await faultOf(`id,username\n${ADA},ada2\n,ada\n`)).to.equal(
      badUsers('line 3: id is that of the user in line 2'),
    );
  });

  it('refuses lines that neither identify a stored user nor describe a new one', async () => {
    expect(await faultOf(`id,first_name\n${ADA},Ada\n${UNKNOWN},Dan\n,Eve\nx,Fay\n`)).to.equal(
      badUsers(
        'line 3: id does not match a stored user, and a new user needs a username',
        'line 4: id is required',
        'line 5: id must be a UUID',
      ),
    );
    expect(await faultOf('username,first_name\nada,Ada\ndan,Dan\n')).to.equal(
      badUsers('line 3: division_id is required for a new user'),
    );
    expect(await faultOf('first_name\nAda\n')).to.equal(
      'users.csv, line 1: the header must have one of the columns "id", "username".\n',
    );
  });

  it('refuses an empty cell where a stored value must not be empty', async () => {
    const csv = `id,username,division_id,is_active,date_joined\n${ADA},,,,\n${BOB},bob,${NORTH},,\n,cal,${SOUTH},maybe,2026-01-31\n`;
    expect(await faultOf(csv)).to.equal(
      badUsers(
        'line 2: username must not be empty; division_id must not be empty',
        'line 3: date_joined must not be empty for a stored user; is_active must not be empty for a stored user',
        'line 4: is_active must be true or false',
      ),
    );
  });

  it('refuses an email of another user, unless the file changes that user too', async () => {
    expect(await faultOf('username,email\nada,BOB@example.org\n')).to.equal(
      badUsers('line 2: email is already used by a stored user'),
    );
    expect(await faultOf('username,email\nada,bob@example.org\nbob,bob@example.org\n')).to.equal(
      badUsers('line 2: email is already used by a stored user', 'line 3: email is already used in line 2'),
    );
  });

  it('compares passwords with the names that a user will have', async () => {
    const csv = (column: string, ...rows: readonly string[]) => [`${column},password`, ...rows].join('\n');
    const detail = 'password must not be the username or the email';
    expect(await faultOf(csv('username', 'ada,ADA@example.org', 'bob,ada@example.org'), '--dry-run')).to.equal(
      badUsers(`line 2: ${detail}`),
    );
    const renamed = csv('id,username', `${BOB},bobby-brown,Bobby-Brown`, `${ADA},ada,bob@example.org`);
    expect(await faultOf(renamed)).to.equal(badUsers(`line 2: ${detail}`));
    const many = Array.from({ length: 2500 }, (_, at) => `new${at},${NORTH},a long enough secret`);
    const late = csv('username,division_id', ...many, `bob,${NORTH},bob@example.org`);
    expect(await faultOf(late, '--dry-run')).to.equal(badUsers(`line 2502: ${detail}`));
    const first = csv('username', 'bob,bob@example.org', ...Array.from({ length: 100 }, () => ',short'));
    expect(await faultOf(first)).to.include(`users.csv, line 2: ${detail}\n`);
  });

  it('refuses a file that removes the last active Leader of a division with members', async () => {
    const one = 'username,is_active\nada,false\n';
    expect(await faultOf(one)).to.equal(
      'The import would remove the last active Leader of North; make another user a Leader first, or give --force.\n',
    );
    expect(await update(one, '--dry-run', '--force')).to.deep.include({ imported: false });
    const both = `username,division_id,groups\nada,${SOUTH},User\nbob,${SOUTH},User\ncal,${NORTH},User\n`;
    expect(await faultOf(both, '--dry-run')).to.include('the last active Leader of North, South;');
    for (const csv of [
      'username,groups\nada,User\nbob,Leader\n',
      `username,division_id\nada,${SOUTH}\nbob,${SOUTH}\n`,
    ]) {
      expect(await update(csv, '--dry-run')).to.deep.include({ imported: false });
    }
  });

  it('prints what would be created, changed and left unchanged for a dry run', async () => {
    const csv = `username,division_id,password\nada,${NORTH},\nbob,${SOUTH},\ncal,${SOUTH},a long enough secret\nnew,${NORTH},another long secret\n`;
    const users = await file('users.csv', csv);
    const divisions = await file('d.csv', 'name,fanpage\nnorth,\nEast,\n');
    const files = ['--users', users, '--divisions', divisions];
    expect(await chapter('import', '--update', '--dry-run', ...files)).to.deep.equal({
      status: 0,
      out: 'Divisions: 1 would be created, 1 changed, 0 left unchanged\nUsers: 1 would be created, 2 changed, 1 left unchanged\nNothing was imported.\n',
      err: '',
    });
    expect((await chapter('import', '--update', '--dry-run', '--users', users)).out).to.match(/^Users: .*\nNothing/);
    const created = await file('created.csv', `username,division_id\nnew,${NORTH}\nada,${NORTH}\n`);
    expect(await fault('import', '--dry-run', '--users', created)).to.equal(
      'created.csv, line 3: username is already used by a stored user\n1 bad line; nothing was imported. ' +
        'To change users and divisions that are already stored, add --update.\n',
    );
    expect(
      await done('import', '--dry-run', '--users', await file('new.csv', `username,division_id\nnew,${NORTH}\n`)),
    ).to.deep.equal({
      imported: false,
      divisions: { created: 0, changed: 0, unchanged: 0 },
      users: { created: 1, changed: 0, unchanged: 0 },
    });
  });
});
