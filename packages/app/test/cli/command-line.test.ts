import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describePolicy, policyTable } from '@chapter/domain';
import { expect } from 'chai';
import { parseKeySet } from '../../src/tokens/key-set.ts';
import { call } from './call.ts';

describe('The command line', () => {
  const commands = [
    [],
    ['serve'],
    ['migrate'],
    ['divisions'],
    ['divisions', 'create'],
    ['divisions', 'list'],
    ['divisions', 'rename'],
    ['divisions', 'delete'],
    ['users'],
    ['users', 'create'],
    ['users', 'set'],
    ['users', 'list'],
    ['users', 'show'],
    ['users', 'move'],
    ['users', 'delete'],
    ['users', 'link'],
    ['sessions'],
    ['sessions', 'list'],
    ['sessions', 'end'],
    ['keys'],
    ['keys', 'generate'],
    ['keys', 'rotate'],
    ['audit'],
    ['policy'],
    ['policy', 'explain'],
    ['policy', 'who-can'],
    ['seed'],
    ['completion'],
    ['completion', 'bash'],
    ['completion', 'zsh'],
  ];
  for (const command of commands) {
    it(`prints the help of chapter ${command.join(' ')}`, async () => {
      const { err, out, status } = await call([...command, '--help']);
      expect([status, err]).to.deep.equal([0, '']);
      expect(out)
        .to.match(new RegExp(`^Usage: ${['chapter', ...command].join(' ')}\\b`))
        .and.include('--help');
      expect(out).not.to.include('\u001b');
    });
  }

  it('accepts --username for each option --user, without showing it in the help', async () => {
    const found: string[] = [];
    for (const command of commands) {
      const { out } = await call([...command, '--help']);
      if (!/^ +--user </m.test(out)) continue;
      found.push(command.join(' '));
      expect(out).not.to.include('--username');
      const both = await call([...command, '--user', 'a', '--username', 'b']);
      expect(both, command.join(' ')).to.deep.equal({
        status: 2,
        out: '',
        err: 'error: --username is an alias of --user; give only one of them\n',
      });
    }
    expect(found).to.include.members(['users link', 'sessions list', 'sessions end', 'audit', 'policy who-can']);
  });

  const wrong: [string, string[], RegExp][] = [
    ['no command', [], /^Usage: chapter/],
    ['an unknown command', ['kyes'], /unknown command 'kyes'\n\(Did you mean keys\?\)/],
    ['an unknown subcommand', ['users', 'creat'], /\(Did you mean create\?\)/],
    [
      'an unknown command that resembles none',
      ['listen'],
      /^error: unknown command 'listen'\nThe commands are: serve, migrate, divisions, [^]*, completion\n$/,
    ],
    [
      'an unknown subcommand that resembles none',
      ['sessions', 'foo'],
      /^error: unknown command 'foo'\nThe commands are: list, end\n$/,
    ],
    ['an unknown subcommand of a command that also runs alone', ['policy', 'explian'], /\(Did you mean explain\?\)/],
    ['a command group without a subcommand', ['divisions'], /^Usage: chapter divisions/],
    ['an unknown option', ['keys', 'generate', '--algoritm', 'x'], /\(Did you mean --algorithm\?\)/],
    [
      'a required option misspelt',
      ['users', 'set', '--usr', 'ada'],
      /^error: unknown option '--usr'\n\(Did you mean --user\?\)/,
    ],
    [
      'neither a password nor a link',
      ['users', 'create', '--division', 'a', '--username', 'b'],
      /give either --password-stdin or --link/,
    ],
    [
      '--user with its alias',
      ['users', 'set', '--user', 'a', '--username', 'b'],
      /--username is an alias of --user; give only one/,
    ],
    ['a user left out', ['users', 'set', '--staff', 'true'], /required option '--user <user>' not specified/],
    ['no confirmation without a terminal', ['users', 'delete', '--user', 'a'], /confirm with --yes/],
    ['no number of dormant days', ['users', 'list', '--dormant', '0'], /from 1 to 36525/],
    ['more hours than a link may have', ['users', 'link', '--user', 'a', '--hours', '721'], /from 1 to 720/],
    ['neither of two options', ['sessions', 'end'], /give either --session or --user/],
    ['both of two options', ['sessions', 'end', '--session', 'a', '--user', 'b'], /give either --session or --user/],
    ['a required option left out', ['keys', 'rotate'], /required option '--file <path>'/],
    ['an extra argument', ['keys', 'generate', 'x'], /too many arguments/],
    ['an invalid choice', ['keys', 'generate', '--algorithm', 'RS256'], /Allowed choices are EdDSA, ES256/],
    [
      'a flag that is neither true nor false',
      ['users', 'set', '--username', 'a', '--staff', 'yes'],
      /It must be true or false/,
    ],
    ['an unknown group', ['users', 'set', '--username', 'a', '--group', 'Admin'], /one of Leader, Guest, User/],
    ['a day that does not exist', ['audit', '--since', '2026-02-30'], /It must be a date such as/],
    ['a number out of range', ['audit', '--limit', '0'], /from 1 to/],
    ['a misspelt action', ['policy', 'explain', '--as', 'a', '--action', 'updat-user'], /Did you mean updateUser\?/],
    ['a missing action', ['policy', 'who-can', '--user', 'a'], /required option '--action <action>'/],
    [
      'a division for an action on a user',
      ['policy', 'who-can', '--action', 'getUser', '--user', 'a', '--division', 'b'],
      /getUser concerns a user; remove --division/,
    ],
    [
      'a user for an action on a division',
      ['policy', 'who-can', '--action', 'createUser', '--user', 'a', '--division', 'b'],
      /createUser concerns a division; remove --user/,
    ],
    [
      'a user for an action on the service',
      ['policy', 'who-can', '--action', 'listDivisions', '--user', 'a'],
      /listDivisions concerns neither a user nor a division; remove --user/,
    ],
    [
      'a user and a division for a decision on the service',
      ['policy', 'explain', '--as', 'a', '--action', 'listDivisions', '--user', 'a', '--division', 'b'],
      /listDivisions concerns neither a user nor a division; remove --user and --division/,
    ],
    [
      'a division for a decision on a user',
      ['policy', 'explain', '--as', 'a', '--action', 'getUser', '--user', 'a', '--division', 'b'],
      /getUser concerns a user; remove --division/,
    ],
    [
      'a user for a decision on a division',
      ['policy', 'explain', '--as', 'a', '--action', 'getDivision', '--username', 'a'],
      /getDivision concerns a division; remove --user/,
    ],
    [
      'a decision on a user without one',
      ['policy', 'explain', '--as', 'a', '--action', 'getUser'],
      /getUser concerns a user; name one with --user/,
    ],
    [
      'an action on a user without one',
      ['policy', 'who-can', '--action', 'getUser', '--division', 'b'],
      /getUser concerns a user; name one with --user/,
    ],
    [
      'an action on a division without one',
      ['policy', 'who-can', '--action', 'get-division', '--user', 'a'],
      /getDivision concerns a division; name one with --division/,
    ],
    ['no number of demo members', ['seed'], /required option '--members <n>'/],
    ['more demo members than the limit', ['seed', '--members', '100001'], /from 1 to 100000/],
    ['--json for a command without a result', ['serve', '--json'], /^error: unknown option '--json'\n$/],
    ['--json before a command without a result', ['--json', 'serve'], /^error: unknown option '--json'\n$/],
    ['an unknown action', ['policy', 'explain', '--as', 'a', '--action', 'fly'], /one of listUsers,/],
  ];
  for (const [title, args, complaint] of wrong) {
    it(`reports ${title} as wrong usage`, async () => {
      const { err, out, status } = await call(args);
      expect([status, out]).to.deep.equal([2, '']);
      expect(err).to.match(complaint);
    });
  }

  it('prints the version of its package', async () => {
    const file = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect(await call(['--version'])).to.deep.equal({ status: 0, out: `${version}\n`, err: '' });
  });

  it('prints the access table of the policy', async () => {
    expect(await call(['policy'])).to.deep.equal({ status: 0, out: policyTable(describePolicy()), err: '' });
    const { out } = await call(['policy', '--json']);
    const { actions } = JSON.parse(out) as { actions: unknown[] };
    expect(actions).to.deep.include({
      action: 'deleteUser',
      who: 'a Leader of the division',
      known_to: 'the user themself, a Leader of the division or a Guest of the division',
    });
  });

  it('uses colours if the terminal supports them', async () => {
    const colours = true;
    expect((await call(['--help'], { colours })).out).to.include('\u001b[1mUsage:');
    for (const args of [['kyes'], ['keys', 'rotate', '--file', '/none/keys.json']]) {
      expect((await call(args, { colours })).err).to.match(/^.\[31m/);
      expect((await call(args)).err).not.to.include('\u001b');
    }
  });

  it('accepts --json before and after the command', async () => {
    const { out } = await call(['--json', 'policy']);
    expect(JSON.parse(out)).to.have.keys('actions', 'fields');
  });

  it('reports every wrong setting before it runs a command', async () => {
    const variables = { CHAPTER_ENV: 'PROD', DATABASE_POOL_SIZE: 'many' };
    expect(await call(['divisions', 'list'], { variables })).to.deep.equal({
      status: 1,
      out: '',
      err:
        'Invalid settings:\n  DATABASE_URL is required when CHAPTER_ENV is PROD\n' +
        '  DATABASE_POOL_SIZE must be a whole number from 1 to 1000, but is "many"\n',
    });
  });

  for (const [setting, value] of [
    ['DATABASE_URL', 'postgresql://127.0.0.1:9/none'],
    ['DATABASE_URL_FILE', '/none'],
    ['CHAPTER_ENV', 'PROD'],
  ] as const) {
    it(`refuses with one sentence to seed with ${setting}=${value}`, async () => {
      const reason = setting === 'CHAPTER_ENV' ? 'CHAPTER_ENV is PROD' : `${setting} is set`;
      expect(await call(['seed', '--members', '1'], { variables: { [setting]: value } })).to.deep.equal({
        status: 1,
        out: '',
        err: `seed adds demo members only to the embedded database, but ${reason}.\n`,
      });
    });
  }

  describe('for keys', () => {
    let dir: string;
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'chapter-cli-'));
    });
    afterEach(() => rmSync(dir, { recursive: true }));

    it('generates a private JWK set for Ed25519 or P-256', async () => {
      const { out } = await call(['keys', 'generate']);
      expect(parseKeySet(out)[0].alg).to.equal('EdDSA');
      const json = await call(['keys', 'generate', '--algorithm', 'ES256', '--json']);
      expect(parseKeySet(json.out)[0].alg).to.equal('ES256');
    });

    it('rotates keys and reports the key that signs', async () => {
      const file = join(dir, 'keys.json');
      writeFileSync(file, (await call(['keys', 'generate'])).out);
      const before = parseKeySet(readFileSync(file, 'utf8'))[0].kid;
      const { out } = await call(['keys', 'rotate', '--file', file, '--json']);
      const { check, signs } = JSON.parse(out) as { check: string[]; signs: string };
      expect(check).to.deep.equal([before]);
      expect(parseKeySet(readFileSync(file, 'utf8')).map(({ kid }) => kid)).to.deep.equal([signs, before]);
      expect((await call(['keys', 'rotate', '--file', file])).out).to.match(
        /^New tokens are signed with key \S+; 2 older keys can still verify tokens\.\n$/,
      );
    });

    it('refuses with one sentence to rotate a missing file', async () => {
      expect(await call(['keys', 'rotate', '--file', join(dir, 'none')])).to.deep.equal({
        status: 1,
        out: '',
        err: `Cannot replace the signing keys in ${dir}/none: no such file or directory.\n`,
      });
    });
  });
});
