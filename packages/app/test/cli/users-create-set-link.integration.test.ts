import { expect } from 'chai';
import { query } from '../../../../test-support/query.ts';
import { call } from './call.ts';
import { ABSENT_ID, migrated, useOperator } from './operator.ts';

describe('chapter users', () => {
  const { chapter, fault, json, url } = useOperator(migrated);
  let division: string;
  before(async () => {
    await json('divisions create --name South');
    division = String((await json('divisions create --name North'))['id']);
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

  it('reports all faults of a user, without the password', async () => {
    const wrong = `users create --division ${division} --username a/b --birthdate 2000-02-30 --password-stdin`;
    expect((await fault(wrong, 'short')).split('\n')).to.deep.equal([
      '--username must contain only the characters A-Z a-z 0-9 . _ + @ -.',
      '--birthdate must be a date that exists (YYYY-MM-DD).',
      'The password must have at least 8 characters.',
      '',
    ]);
    expect(
      await fault(`users create --division ${division} --username ADA --password-stdin`, 'a long enough secret'),
    ).to.equal('This username is taken.\n');
    for (const named of [ABSENT_ID, 'nort']) {
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
    expect(await fault('users set --user unknown --staff true')).to.equal(
      'There is no user with the name or id unknown.\n',
    );
    expect(await json('users set --user gus --email gus@example.org')).to.include({ email: 'gus@example.org' });
    expect(await fault('users set --user gus --email ADA@example.org')).to.equal('This email is taken.\n');
    const variables = { DATABASE_URL: url() };
    const { out } = await call(['users', 'set', '--user', 'gus', '--email', '', '--json'], { variables });
    expect(JSON.parse(out)).to.include({ email: null });
  });

  it('creates a user without an email if that of the command is empty', async () => {
    const args = ['users', 'create', '--division', division, '--username', 'eve', '--email', '', '--link', '--json'];
    expect(JSON.parse((await chapter(args)).out)).to.include({ username: 'eve', email: null });
  });

  it('prints password links for existing and for new users', async () => {
    const hoursUntil = (instant: unknown) => Math.round((Date.parse(String(instant)) - Date.now()) / 3_600_000);
    const link = await json<Record<string, string>>('users link --user ADA');
    // The last character of a URL in a text is part of the link for all programs that look for URLs.
    expect(link['token']).to.match(/^[A-Za-z0-9_-]{66}[A-Za-z0-9]$/);
    expect(link['url']).to.equal(`http://localhost:3000/password/#username=ada&token=${link['token']}`);
    expect(hoursUntil(link['expires_at'])).to.equal(72);
    expect(hoursUntil((await json('users link --username ada --hours 720'))['expires_at'])).to.equal(720);
    expect(await fault('users link --user unknown')).to.include('no user');
    const user = await json<{ id: string; password_link: Record<'token' | 'url', string> }>(
      `users create --division ${division} --username linked --link`,
    );
    const { token, url: linkUrl } = user.password_link;
    expect(linkUrl).to.equal(`http://localhost:3000/password/#username=linked&token=${token}`);
    const [stored] = await query(url(), `select password_hash from user_account where id = '${user.id}'`);
    expect(stored).to.deep.equal({ password_hash: null });
    const { out } = await chapter(`users create --division ${division} --username other-link --link`);
    expect(out).to.match(
      /^url +http:\S+#username=other-link&token=[A-Za-z0-9_-]{67}\nid .*^token +\S{67}\nexpires_at /ms,
    );
    const { out: entries } = await chapter('audit --limit 4 --json');
    expect(entries).to.include('createPasswordLink').and.not.include(token);
    const links = await query(url(), 'select digest from password_link');
    expect(JSON.stringify(links)).to.not.include(token);
  });

  it('prints complete password links if a setting names the page or the service, and otherwise says what they assume', async () => {
    const link = async (variables: Record<string, string>) => {
      const { err, out } = await call(['users', 'link', '--user', 'ada', '--json'], {
        variables: { CHAPTER_ENV: 'PROD', DATABASE_URL: url(), ...variables },
      });
      return [JSON.parse(out).url.split('#')[0], err];
    };
    const PUBLIC_URL = 'https://members.example.org/chapter/';
    expect(await link({ PUBLIC_URL })).to.deep.equal(['https://members.example.org/chapter/password/', '']);
    const PASSWORD_PAGE_URL = 'https://app.example.org/password?lang=de';
    expect(await link({ PASSWORD_PAGE_URL, PUBLIC_URL })).to.deep.equal([PASSWORD_PAGE_URL, '']);
    expect(await link({})).to.deep.equal([
      '/password/',
      'The URL begins with a path: put the address of the service before it, or set PUBLIC_URL.\n',
    ]);
    expect(await link({ CHAPTER_ENV: 'DEV', PORT: '4000' })).to.deep.equal([
      'http://localhost:4000/password/',
      'The URL assumes that the service is at http://localhost:4000: if not, set PUBLIC_URL, or PORT as for the service.\n',
    ]);
  });
});
