import { connectPostgres } from '@chapter/adapters-postgres';
import { makeSettableClock } from '@chapter/domain/testing';
import { expect } from 'chai';
import { query } from '../../../../test-support/query.ts';
import type { Ask } from '../../src/cli/steps/context.ts';
import { uuidIds } from '../../src/system/clock-and-ids.ts';
import { migrated, useOperator } from './operator.ts';

type Json = Record<string, unknown>;

describe('The operator and the users of all divisions', () => {
  const { chapter, fault, json, url } = useOperator(migrated);
  const namesOf = async (args: string) => (await json<Json[]>(`users list ${args}`)).map(({ username }) => username);

  before(async () => {
    for (const name of ['North', 'South', 'West']) await json(`divisions create --name ${name}`);
    await json('users create --division North --username lea --group Leader --first-name Lea --last-name Doe --link');
    await json('users create --division North --username gus --email gus@example.org --link');
    await json('users create --division South --username sam --group Leader --link');
    await query(url(), "update user_account set date_joined = now() - interval '400 days'");
    await query(
      url(),
      `insert into user_activity select id, (now() at time zone 'UTC')::date - 30 from user_account where username = 'gus'`,
    );
  });

  it('lists the users of all divisions by username', async () => {
    const users = await json<Json[]>('users list');
    const day = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
    expect(users.map(({ username, last_active_on: on }) => [username, on])).to.deep.equal([
      ['gus', day],
      ['lea', null],
      ['sam', null],
    ]);
    expect(users[0]).to.include({ email: 'gus@example.org', is_active: true });
    expect(users[0]).to.have.nested.property('division.name', 'North');
    const { out } = await chapter('users list --search lea');
    expect(out).to.match(
      /^USERNAME +NAME +EMAIL +DIVISION +GROUPS +ACTIVE +LAST ACTIVE\nlea +Lea Doe +– +North +Leader +yes +–\n$/,
    );
  });

  it('filters users by division, words and dormancy', async () => {
    expect(await namesOf('--division south')).to.deep.equal(['sam']);
    expect(await namesOf('--search EXAMPLE.org')).to.deep.equal(['gus']);
    expect(await namesOf('--dormant 30')).to.deep.equal(['gus', 'lea', 'sam']);
    expect(await namesOf('--dormant 31 --division North')).to.deep.equal(['lea']);
    expect(await namesOf('--dormant 401')).to.deep.equal([]);
    expect((await chapter('users list --dormant 401')).out).to.match(/^USERNAME .*\n$/);
    expect(await fault('users list --division nort')).to.include('no division with the name or id nort');
    expect(await fault(`users list --search ${'x'.repeat(101)}`)).to.equal(
      '--search must have at most 100 characters.\n',
    );
  });

  it('counts the members of each division, dormant as in the list of users', async () => {
    const { err, out } = await chapter('statistics --dormant 31 --format csv');
    const [header = '', ...rows] = out.split('\r\n');
    expect(err).to.equal('');
    expect(header).to.match(/^division,members,active,dormant,leader,guest,user(,\d{4}-\d\d){12}$/);
    expect(header.endsWith(new Date().toISOString().slice(0, 7))).to.equal(true);
    const months = ',0'.repeat(12);
    expect(rows).to.deep.equal([
      `North,2,2,1,1,0,1${months}`,
      `South,1,1,1,1,0,0${months}`,
      `West,0,0,0,0,0,0${months}`,
      '',
    ]);
    const [south] = await json<Json[]>('statistics --division south');
    expect(south).to.have.nested.property('division.name', 'South');
    expect(south).to.have.property('joined').with.length(24);
    expect(south).to.have.deep.property('dormant', { days: 90, members: 1 });
    expect(
      (await json<{ joined: { members: number }[] }[]>('statistics')).map(({ joined }) =>
        joined.map(({ members }) => members).join(''),
      ),
    ).to.satisfy(([north]: string[]) => /^0*20*$/.test(north ?? ''));
    expect(await fault('statistics --division nort')).to.include('no division with the name or id nort');
  });

  it('lists more users than a batch, as one JSON array', async () => {
    await query(
      url(),
      `insert into user_account (id, username, username_key, first_name, first_name_key, last_name, last_name_key,
          division_id, groups, is_active, is_staff, is_superuser, date_joined, version)
        select gen_random_uuid(), 'many-' || n, 'many-' || n, '', '', '', '', (select id from division where name = 'West'),
          '{User}', true, false, false, now(), 1 from generate_series(1, 1200) n`,
    );
    const { out, status } = await chapter('users list --division West --json');
    const users = JSON.parse(out) as Json[];
    expect([status, users.length, new Set(users.map(({ id }) => id)).size]).to.deep.equal([0, 1200, 1200]);
    expect(out).to.equal(`${JSON.stringify(users, null, 2)}\n`);
    expect((await chapter('users list --division West')).out.split('\n')).to.have.length(1202);
    await query(url(), "delete from user_account where username like 'many-%'");
  });

  it('shows a user with the day of their last login or refresh', async () => {
    const [gus] = await json<Json[]>('users list --search gus');
    expect(await json('users show --user GUS')).to.deep.equal({ ...gus, login_locked_until: null });
    expect((await chapter(`users show --user ${String(gus?.['id'])}`)).out).to.match(
      /^last_active_on +\d{4}-\d\d-\d\d$/m,
    );
    expect(await fault('users show --user ghost')).to.equal('There is no user with the name or id ghost.\n');
  });

  it('shows until when a user is locked out, and unlocks them', async () => {
    const database = connectPostgres({ url: url(), clock: makeSettableClock(), ids: uuidIds });
    for (let time = 0; time < 10; time++) await database.loginLimits.begin({ username: 'gus' }, '192.0.2.0/24');
    await database.close();
    const { login_locked_until: end } = await json('users show --user gus');
    expect(Date.parse(String(end))).to.be.greaterThan(Date.now());
    expect((await chapter('users unlock --user gus')).out).to.equal('Cleared 10 failed logins of gus.\n');
    expect(await json('users unlock --user gus')).to.include({ username: 'gus', failures: 0 });
    expect(await json('users show --user gus')).to.include({ login_locked_until: null });
  });

  it('moves a user, which the audit trail shows', async () => {
    const moved = await json('users move --user gus --division South');
    expect(moved)
      .to.deep.include({ groups: ['User'] })
      .and.to.have.nested.property('division.name', 'South');
    expect((await chapter('audit --division North --limit 1')).out).to.match(/division: North → South\n$/);
    expect(await json('users move --user gus --division North --group Guest User')).to.deep.include({
      groups: ['Guest', 'User'],
    });
  });

  it('keeps a Leader in a division with members, unless forced', async () => {
    for (const command of [
      'set --user lea --group User',
      'move --user lea --division West',
      'delete --user lea --yes',
    ]) {
      expect(await fault(`users ${command}`)).to.equal(
        'This is the last active Leader of the division; make another user a Leader first, or give --force.\n',
      );
    }
    expect(await json('users move --user lea --division West --force')).to.have.nested.property(
      'division.name',
      'West',
    );
    await json('users move --user lea --division North --group Leader');
  });

  it('deletes a user after a confirmation', async () => {
    const questions: string[] = [];
    const answering =
      (answer: string): Ask =>
      async (question) => {
        questions.push(question);
        return answer;
      };
    expect(await fault('users delete --user sam', '', answering('no'))).to.equal(
      'Not confirmed; nothing was changed.\n',
    );
    expect(await namesOf('--search sam')).to.deep.equal(['sam']);
    expect(await chapter('users delete --user sam', '', answering('y'))).to.deep.equal({
      status: 0,
      out: 'Deleted the user sam.\n',
      err: '',
    });
    expect(questions).to.deep.equal(
      Array.from({ length: 2 }, () => 'Delete the user sam of the division South? [y/N] '),
    );
    expect(await fault('users show --user sam')).to.include('no user');
    expect(await json('users delete --user gus --yes')).to.include({ username: 'gus' });
  });

  it('renames a division', async () => {
    expect(await json('divisions rename --division north --name Northwest')).to.include({ name: 'Northwest' });
    expect(await json('users show --user lea')).to.have.nested.property('division.name', 'Northwest');
  });

  it('deletes an empty division', async () => {
    expect((await chapter('divisions delete --division South')).out).to.equal('Deleted the division South.\n');
    expect((await json<Json[]>('divisions list')).map(({ name }) => name)).to.deep.equal(['Northwest', 'West']);
    expect(await json('divisions delete --division West')).to.include({ name: 'West' });
  });
});
