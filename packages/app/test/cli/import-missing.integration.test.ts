import { expect } from 'chai';
import { NORTH, SOUTH } from './in-bulk.ts';
import { ADA, BOB, CAL, counts, useStoredUsers } from './stored-users.ts';

const MISSING = ['--update', '--missing'] as const;

describe('chapter import --update --missing', () => {
  const { audited, chapter, done, fault, file, links, sessions, sql, stored, users } = useStoredUsers();
  const withUsers = async (csv: string): Promise<readonly string[]> => ['--users', await file('register.csv', csv)];
  const list = async (csv: string, ...options: readonly string[]) =>
    chapter('import', ...MISSING, 'list', ...(await withUsers(csv)), ...options);
  const deactivate = async (csv: string, ...options: readonly string[]) =>
    done('import', ...MISSING, 'deactivate', ...(await withUsers(csv)), ...options);
  const inactive = async () => (await users('is_active', 'not is_active')).map(({ username }) => username);

  it('lists the users that no line matches by id or username, beside the result of the import', async () => {
    const csv = `id,username,first_name,division_id\n${ADA},ada2,Ada,${NORTH}\n,BOB,Robert,${NORTH}\n,dan,Dan,${NORTH}\n`;
    await sql(`update user_account set first_name = '=Cal', is_active = false where id = '${CAL}'`);
    const table =
      'USERNAME  FIRST NAME  LAST NAME  DIVISION  IS ACTIVE\ncal       =Cal        Reed       South     no\n';
    const cells = "username,first_name,last_name,division,is_active\r\ncal,'=Cal,Reed,South,false\r\n";
    const dry = 'Users: 1 would be created, 2 changed, 0 left unchanged\nNothing was imported.\n';
    expect(await list(csv, '--dry-run')).to.deep.equal({ status: 0, out: table, err: dry });
    expect(await stored()).to.deep.equal([2, 3, 5]);
    const err = 'Users: 1 created, 2 changed, 0 unchanged\n';
    expect(await list(csv, '--format', 'csv')).to.deep.equal({ status: 0, out: cells, err });
    const { out } = await list(csv, '--format', 'spreadsheet');
    expect(out).to.equal(`\uFEFF${cells}`);
    expect(await inactive()).to.deep.equal(['cal']);
    const json = await list(csv, '--json');
    expect(JSON.parse(json.out)).to.deep.equal({
      ...counts(0, 0, 3),
      missing: [{ username: 'cal', first_name: '=Cal', last_name: 'Reed', division: 'South', is_active: false }],
    });
    const all = 'username\nada2\nbob\ndan\ncal\n';
    expect((await list(all)).out).to.equal('USERNAME  FIRST NAME  LAST NAME  DIVISION  IS ACTIVE\n');
    expect(JSON.parse((await list(all, '--json')).out)).to.deep.equal({ ...counts(0, 0, 4), missing: [] });
  });

  it('lists more users than one batch, by username', async () => {
    await sql(`insert into user_account (id, username, username_key, first_name, first_name_key, last_name, last_name_key,
        division_id, groups, is_active, is_staff, is_superuser, date_joined)
      select gen_random_uuid(), 'm' || n, 'm' || n, '', '', '', '', '${NORTH}', '{User}', true, false, false, now()
        from generate_series(1001, 2200) n`);
    const lines = (await list('username\nada\nm1100\n', '--dry-run', '--format', 'csv')).out.trimEnd().split('\r\n');
    const names = lines.slice(1).map((line) => line.split(',')[0]);
    expect(names).to.have.length(1201);
    expect([names[0], names[1], names[100], names.at(-1)]).to.deep.equal(['bob', 'cal', 'm1099', 'm2200']);
    expect(names).not.to.include('m1100');
  });

  it('lists nothing if the file has a bad line', async () => {
    const result = await list('username,email\nada,none\n');
    expect([result.status, result.out]).to.deep.equal([1, '']);
    expect(result.err).to.equal(
      'register.csv, line 2: email must be an email address with one @\n1 bad line; nothing was imported.\n',
    );
  });

  it('deactivates missing users as a change does: audited, without sessions, and only once', async () => {
    const csv = `username,first_name\nada,Augusta\ncal,Cal\n`;
    const planned = { ...counts(0, 1, 1), deactivated: 1, kept: [] };
    expect(await deactivate(csv, '--dry-run')).to.deep.equal({ ...planned, imported: false });
    expect(await inactive()).to.deep.equal([]);
    expect(await deactivate(csv)).to.deep.equal(planned);
    expect(await users('is_active, first_name')).to.deep.equal([
      { username: 'ada', version: 2, is_active: true, first_name: 'Augusta' },
      { username: 'bob', version: 2, is_active: false, first_name: 'Bob' },
      { username: 'cal', version: 1, is_active: true, first_name: 'Cal' },
    ]);
    expect(await sessions()).to.deep.equal([ADA, CAL]);
    expect(await links()).to.deep.equal([ADA, BOB, CAL]);
    expect((await audited()).filter(({ target_id }) => target_id === BOB)).to.deep.equal([
      { action: 'updateUser', target_id: BOB, changes: { isActive: { old: true, new: false } } },
    ]);
    expect(await deactivate(csv)).to.deep.equal({ ...counts(0, 0, 2), deactivated: 0, kept: [] });
    expect(await audited()).to.have.length(2);
  });

  it('keeps the Leaders whose division would have no active Leader, and says so, unless it is forced', async () => {
    await sql(`update user_account set groups = '{Leader}' where id = '${BOB}'`);
    const csv = `username\ncal\n`;
    const options = [...MISSING, 'deactivate', ...(await withUsers(csv))];
    expect(await chapter('import', ...options)).to.deep.equal({
      status: 0,
      out: [
        'Users: 0 created, 0 changed, 1 unchanged',
        'Missing: 0 users deactivated, 2 Leaders kept active',
        'Kept, because their divisions would have no active Leader: ada (North), bob (North)\n',
      ].join('\n'),
      err: '',
    });
    expect(await inactive()).to.deep.equal([]);
    // The file removes the other Leader, so that the missing one is the last.
    const demoted = `username,groups\nada,User\ncal,Leader\n`;
    const kept = [{ username: 'bob', division: 'North' }];
    expect(await deactivate(demoted)).to.deep.equal({ ...counts(0, 1, 1), deactivated: 0, kept });
    const created = `username,groups,division_id\nada,User,${NORTH}\ncal,Leader,${SOUTH}\ndan,Leader,${NORTH}\n`;
    expect(await deactivate(created)).to.deep.equal({ ...counts(1, 0, 2), deactivated: 1, kept: [] });
    await sql(`update user_account set is_active = username <> 'dan'`);
    expect(await deactivate('username\nada\ncal\n', '--force')).to.deep.include({ deactivated: 1, kept: [] });
  });

  it('deactivates missing Administrators, unless a line names them', async () => {
    await sql(`update user_account set is_staff = true where id <> '${ADA}'`);
    expect(await deactivate('username\nada\ncal\n')).to.deep.include({ deactivated: 1, kept: [] });
    expect(await users('is_staff', 'not is_active')).to.deep.include({ username: 'bob', version: 2, is_staff: true });
  });

  it('refuses to deactivate more users than half of the active ones or than --max-missing, also in a dry run', async () => {
    await sql(`update user_account set groups = '{User}'`);
    const files = await withUsers('username\nbob\n');
    for (const options of [[], ['--dry-run']]) {
      expect(await fault('import', ...MISSING, 'deactivate', ...files, ...options)).to.equal(
        'The import would deactivate 2 users, more than half of the active ones; if the file is the whole register, give --max-missing 2.\n',
      );
      expect(await fault('import', ...MISSING, 'deactivate', ...files, '--max-missing', '1', ...options)).to.include(
        'more than --max-missing 1; ',
      );
    }
    expect(await inactive()).to.deep.equal([]);
    expect(await deactivate('username\nbob\n', '--max-missing', '2')).to.deep.include({ deactivated: 2 });
    expect(await inactive()).to.deep.equal(['ada', 'cal']);
  });

  it('says which options it needs', async () => {
    const options: Readonly<Record<string, readonly string[]>> = {
      '--missing needs --update': ['--users', 'u.csv', '--missing', 'list'],
      '--missing needs --users': ['--divisions', 'd.csv', ...MISSING, 'list'],
      '--max-missing needs --missing deactivate': ['--users', 'u.csv', ...MISSING, 'list', '--max-missing', '1'],
      '--format needs --missing list': ['--users', 'u.csv', ...MISSING, 'deactivate', '--format', 'csv'],
      'give either --json or --format': ['--users', 'u.csv', ...MISSING, 'list', '--format', 'csv', '--json'],
    };
    for (const [message, args] of Object.entries(options)) {
      const { err, status } = await chapter('import', ...args);
      expect([status, err.split('\n')[0]]).to.deep.equal([2, `error: ${message}`]);
    }
  });
});
