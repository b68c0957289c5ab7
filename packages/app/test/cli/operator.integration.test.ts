import { expect } from 'chai';
import { useTestDatabase } from '../../../../test-support/database.ts';
import { query } from '../../../../test-support/query.ts';
import { type Called, call } from './call.ts';

describe('The operator', () => {
  const database = useTestDatabase();
  const chapter = (args: string, input: string | Uint8Array = ''): Promise<Called> =>
    call(args.split(' '), { variables: { DATABASE_URL: database.url }, input });
  const json = async <T = Record<string, unknown>>(args: string, input = ''): Promise<T> => {
    const { err, out, status } = await chapter(`${args} --json`, input);
    expect([status, err], err).to.deep.equal([0, '']);
    return JSON.parse(out) as T;
  };
  const fault = async (args: string, input: string | Uint8Array = ''): Promise<string> => {
    const { err, out, status } = await chapter(args, input);
    expect([status, out]).to.deep.equal([1, '']);
    return err;
  };
  const none = '0190a000-0000-7000-8000-00000000000f';
  let division: string;

  it('brings the schema up to date and shows its state', async () => {
    const before = await json('migrate --status');
    expect(before).to.deep.include({ state: 'older', applied: [] });
    expect((await chapter('migrate')).out).to.match(/^Migrations run:\n {2}0001-/);
    expect((await chapter('migrate')).out).to.equal('Nothing to do.\n');
    expect(await json('migrate --status')).to.deep.equal({ state: 'current', applied: before['pending'], pending: [] });
    expect((await chapter('migrate --status')).out).to.match(
      /^The schema is current\.\n\nApplied:\n {2}0001-[^]*\nPending:\n {2}none\n$/,
    );
  });

  it('migrates down and up again, and suggests the name of a migration', async () => {
    const { applied } = await json<{ applied: string[] }>('migrate --status');
    const first = applied[0] ?? '';
    expect((await json(`migrate --to ${first}`))['applied']).to.deep.equal([first]);
    expect(await fault(`migrate --to ${first.replace('0001', '0010')}`)).to.include(`did you mean ${first}?`);
    await json('migrate');
  });

  it('creates divisions and lists them by name', async () => {
    const south = await json('divisions create --name South');
    const north = await json(
      'divisions create --name North --logo https://example.org/n.png --fanpage https://example.org',
    );
    expect(south).to.deep.equal({ id: south['id'], name: 'South', logo: null, fanpage: null });
    expect(await json('divisions list')).to.deep.equal([north, south]);
    const { out } = await chapter('divisions list');
    expect(out.split('\n')[0]).to.match(/^ID +NAME +LOGO +FANPAGE$/);
    expect(out.split('\n')[2]).to.equal(`${String(south['id'])}  South  –                          –`);
    division = String(north['id']);
  });

  it('gets the faults of a division', async () => {
    expect(await fault('divisions create --name NORTH')).to.equal('This name is taken.\n');
    const faults = await fault(`divisions create --name ${'x'.repeat(151)} --logo javascript:x`);
    expect(faults.split('\n')).to.deep.equal([
      '--name must have at most 150 characters.',
      '--logo must be an http or https URL.',
      '',
    ]);
  });

  it('creates users of any division, including Administrators', async () => {
    const user = await json(
      `users create --division ${division.toUpperCase()} --username ada --email ada@example.org --first-name Ada ` +
        '--last-name Lovelace --birthdate 1990-12-10 --group user --group Leader --superuser --password-stdin',
      'a long enough secret\n',
    );
    expect(user).to.deep.equal({
      id: user['id'],
      username: 'ada',
      email: 'ada@example.org',
      first_name: 'Ada',
      last_name: 'Lovelace',
      division: { id: division, name: 'North' },
      groups: ['Leader', 'User'],
      birthdate: '1990-12-10',
      is_active: true,
      is_staff: false,
      is_superuser: true,
      date_joined: user['date_joined'],
    });
    // In the order in which the API returns them.
    expect(Object.keys(user).slice(0, 6).join(' ')).to.equal('id username email first_name last_name division');
    const { out } = await chapter(
      'users create --division nORTH --username gus --password-stdin',
      'a long enough secret',
    );
    expect(out)
      .to.match(/^username +gus$/m)
      .and.match(/^division +North$/m)
      .and.match(/^groups +User$/m)
      .and.match(/^is_staff +no$/m);
  });

  it('gets all faults of a user, without the password', async () => {
    const wrong = `users create --division ${division} --username a/b --birthdate 2000-02-30 --password-stdin`;
    expect((await fault(wrong, 'short')).split('\n')).to.deep.equal([
      '--username must contain only the characters A-Z a-z 0-9 . _ + @ -.',
      '--birthdate must be a date that exists (YYYY-MM-DD).',
      'The password must have at least 8 characters.',
      '',
    ]);
    for (const nul of ['short\0\0\0', 'a long enough\nsecret']) {
      expect(await fault(`users create --division ${division} --username bob --password-stdin`, nul)).to.equal(
        'The password must not contain control characters.\n',
      );
    }
    const common = await fault(`users create --division ${division} --username bob --password-stdin`, 'Password1');
    expect(common).to.equal('The password is one of the most common passwords.\n');
    expect(
      await fault(`users create --division ${division} --username ADA --password-stdin`, 'a long enough secret'),
    ).to.equal('This username is taken.\n');
    for (const named of [none, 'nort']) {
      expect(
        await fault(`users create --division ${named} --username bob --password-stdin`, 'a long enough secret'),
      ).to.equal(`There is no division with the name or id ${named}.\n`);
    }
    expect(await fault(`users create --division ${division} --username bob --password-stdin`, '\n')).to.equal(
      'There is no password on standard input.\n',
    );
    // A terminal that is set to Latin-1 sends these bytes.
    const latin = Buffer.from('grüne Äpfel', 'latin1');
    expect(await fault(`users create --division ${division} --username bob --password-stdin`, latin)).to.equal(
      'The password on standard input is not valid UTF-8.\n',
    );
  });

  it('changes flags, groups, activity and password of a user', async () => {
    expect(await json('users set --user GUS --staff true --group Guest')).to.deep.include({
      username: 'gus',
      is_staff: true,
      groups: ['Guest'],
    });
    const changed = await json(
      'users set --username gus --staff false --active false --password-stdin',
      'another long secret',
    );
    expect(changed).to.include({ is_staff: false, is_active: false });
    expect(await fault('users set --user nobody --staff true')).to.equal(
      'There is no user with the name or id nobody.\n',
    );
    expect(await fault('users set --user gus --password-stdin', 'short\0\0\0')).to.equal(
      'The password must not contain control characters.\n',
    );
    expect(await fault('users set --username gus --password-stdin', 'gus')).to.match(/^The password must/);
    expect(await json('users set --user gus --email gus@example.org')).to.include({ email: 'gus@example.org' });
    expect(await fault('users set --user gus --email ADA@example.org')).to.equal('This email is taken.\n');
    const variables = { DATABASE_URL: database.url };
    const { out } = await call(['users', 'set', '--user', 'gus', '--email', '', '--json'], { variables });
    expect(JSON.parse(out)).to.include({ email: null });
  });

  it('keeps the last active Leader of a division, unless forced', async () => {
    for (const change of ['--active false', '--group User']) {
      expect(await fault(`users set --user ada ${change}`)).to.equal(
        'This is the last active Leader of the division; make another user a Leader first, or give --force.\n',
      );
    }
    expect(await json('users set --user ada --active false --force')).to.include({ is_active: false });
    expect(await json('users set --user ada --active true')).to.include({ is_active: true });
  });

  it('sees the audit trail, newest first, without passwords', async () => {
    const entries = await json<Record<string, unknown>[]>('audit');
    expect(entries.map(({ action }) => action)).to.deep.equal([
      ...Array.from({ length: 6 }, () => 'updateUser'),
      'createUser',
      'createUser',
      'createDivision',
      'createDivision',
    ]);
    expect(entries[4]).to.deep.include({
      author_name: 'operator',
      author_id: null,
      target_type: 'user',
      changes: {
        is_active: { old: true, new: false },
        is_staff: { old: true, new: false },
        password: { old: null, new: 'changed' },
      },
    });
    expect(JSON.stringify(entries)).not.to.include('secret');
    expect((await chapter('audit --user gus --limit 3')).out).to.match(
      /  the operator +updateUser +user \S+ +.*is_active: yes → no; .*password: – → changed\n$/,
    );
    expect(await json('audit --since 2999-01-01')).to.deep.equal([]);
    expect(await json(`audit --division ${none}`)).to.deep.equal([]);
    expect(await json('audit --division south')).to.have.length(1);
    expect(await fault('audit --division nort')).to.equal('There is no division with the name or id nort.\n');
    expect(await json(`audit --user ${none}`)).to.deep.equal([]);
    expect(await fault('audit --user nobody')).to.include('no user with the name or id nobody');
  });

  it('finds changes to a user by a former name', async () => {
    // The same entry as for a rename or a deletion through the API.
    await query(
      database.url,
      `insert into audit_entry (id, at, action, author_name, target_type, target_id, division_id, changes)
        values (gen_random_uuid(), now(), 'deleteUser', 'ada', 'user', gen_random_uuid(), '${none}',
          '{ "username": { "old": "Ghost", "new": null } }')`,
    );
    const entries = await json<Record<string, unknown>[]>('audit --user ghost');
    expect(entries.map(({ action }) => action)).to.deep.equal(['deleteUser']);
    await query(database.url, `delete from audit_entry where author_name = 'ada'`);
  });

  it('prints password links, for users who exist and with new ones', async () => {
    const hoursUntil = (instant: unknown) => Math.round((Date.parse(String(instant)) - Date.now()) / 3_600_000);
    const link = await json('users link --user ADA');
    expect(link['token']).to.match(/^[A-Za-z0-9_-]{43}$/);
    expect(hoursUntil(link['expires_at'])).to.equal(72);
    expect(hoursUntil((await json('users link --username ada --hours 720'))['expires_at'])).to.equal(720);
    expect(await fault('users link --user nobody')).to.include('no user');
    const user = await json<{ id: string; password_link: { token: string } }>(
      `users create --division ${division} --username linked --link`,
    );
    expect(user.password_link.token).to.match(/^[A-Za-z0-9_-]{43}$/);
    const [stored] = await query(database.url, `select password_hash from user_account where id = '${user.id}'`);
    expect(stored).to.deep.equal({ password_hash: null });
    const { out } = await chapter(`users create --division ${division} --username other-link --link`);
    expect(out).to.match(/^token +[A-Za-z0-9_-]{43}\nexpires_at /m);
    const { out: entries } = await chapter('audit --limit 4 --json');
    expect(entries).to.include('createPasswordLink').and.not.include(user.password_link.token);
    const links = await query(database.url, 'select digest from password_link');
    expect(JSON.stringify(links)).to.not.include(user.password_link.token);
  });

  it('lists and ends the sessions of a user, and the end is audited', async () => {
    const [ada] = await query(database.url, "select id from user_account where username = 'ada'");
    const id = String(ada?.['id']);
    const sessions = ['0190a000-0000-7000-8000-0000000000e1', '0190a000-0000-7000-8000-0000000000e2'];
    for (const session of sessions) {
      await query(
        database.url,
        `insert into session (id, user_id, started_at, expires_at, user_agent)
         values ('${session}', '${id}', '2026-01-31T09:30:00Z', now() + interval '1 day', 'Phone/1.0')`,
      );
    }
    const started = '2026-01-31T09:30:00.000Z';
    const [listed] = await json<object[]>('sessions list --username ADA');
    expect(listed).to.deep.equal({
      id: sessions[1],
      created_at: started,
      refreshed_at: started,
      user_agent: 'Phone/1.0',
    });
    expect((await chapter(`sessions list --user ${id}`)).out).to.match(/^ID +CREATED AT +REFRESHED AT +USER AGENT\n/);
    expect((await chapter(`sessions end --session ${sessions[0]?.toUpperCase()}`)).out).to.equal('Ended 1 session.\n');
    expect(await json('sessions end --username ada')).to.deep.equal({ user_id: id, ended: 1 });
    expect(await json('sessions list --user ada')).to.deep.equal([]);
    expect(await fault(`sessions end --session ${sessions[0]}`)).to.equal(
      `There is no active session with the id ${sessions[0]}.\n`,
    );
    expect(await fault('sessions end --user nobody')).to.include('no user');
    const entries = await json<{ action: string; changes: object }[]>('audit --username ada --limit 2');
    expect(entries.map(({ action, changes }) => [action, changes])).to.deep.equal([
      ['endSessions', { sessions: { old: 1, new: 0 } }],
      ['endSessions', { session: { old: sessions[0], new: null } }],
    ]);
  });

  it('sees why a user may or may not perform an action', async () => {
    const explain = (args: string) => json(`policy explain ${args}`);
    expect(await explain('--as ada --action update-user --username gus')).to.deep.equal({
      as: 'ada',
      action: 'updateUser',
      outcome: 'allowed',
      rule: 'the user themself or a Leader of the division',
      reason: 'the user themself or a Leader of the division may do this',
    });
    expect(await explain('--as ada --action createUser')).to.include({ outcome: 'allowed' });
    expect(await explain('--as ada --action listDivisions')).to.include({
      outcome: 'allowed',
      rule: 'an Administrator',
    });
    expect(await explain('--as gus --action getInfo')).to.include({ outcome: 'unauthenticated' });
    const [, south] = await json<{ id: string }[]>('divisions list');
    for (const named of [south?.id, 'SOUTH']) {
      expect(await explain(`--as ada --action getDivision --division ${named}`)).to.include({ outcome: 'forbidden' });
    }
    expect(await fault('policy explain --as ada --action getUser')).to.include('name the user with --user');
    expect(await fault(`policy explain --as ada --action getDivision --division ${none}`)).to.include('no division');
    expect((await chapter('policy explain --as ada --action getInfo')).out).to.match(/^outcome +allowed$/m);
  });

  it('gets one sentence if the schema is older', async () => {
    const { applied } = await json<{ applied: string[] }>('migrate --status');
    if (applied.length === 1) return;
    await json(`migrate --to ${applied[0]}`);
    const variables = { DATABASE_URL: database.url };
    const { err, status } = await call(['divisions', 'list'], { variables });
    expect([status, err]).to.deep.equal([1, err]);
    expect(err).to.match(/schema is older than this program .*chapter migrate.*\n$/);
  });
});
