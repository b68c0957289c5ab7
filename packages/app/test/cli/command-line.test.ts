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
    ['users'],
    ['users', 'create'],
    ['users', 'set'],
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
    ['seed'],
    ['completion'],
    ['completion', 'bash'],
    ['completion', 'zsh'],
  ];
  for (const command of commands) {
    it(`tells how to use chapter ${command.join(' ')}`, async () => {
      const { err, out, status } = await call([...command, '--help']);
      expect([status, err]).to.deep.equal([0, '']);
      expect(out)
        .to.match(new RegExp(`^Usage: ${['chapter', ...command].join(' ')}\\b`))
        .and.include('--help');
      expect(out).not.to.include('\u001b');
    });
  }

  const wrong: [string, string[], RegExp][] = [
    ['no command', [], /^Usage: chapter/],
    ['a command that is not there', ['kyes'], /unknown command 'kyes'\n\(Did you mean keys\?\)/],
    ['one that is not there below another', ['users', 'creat'], /\(Did you mean create\?\)/],
    ['a part of a command', ['divisions'], /^Usage: chapter divisions/],
    ['an option that is not there', ['keys', 'generate', '--algoritm', 'x'], /\(Did you mean --algorithm\?\)/],
    [
      'a required option misspelt',
      ['users', 'set', '--usrname', 'ada'],
      /^error: unknown option '--usrname'\n\(Did you mean --username\?\)/,
    ],
    [
      'neither a password nor a link',
      ['users', 'create', '--division', 'a', '--username', 'b'],
      /give either --password-stdin or --link/,
    ],
    ['more hours than a link may have', ['users', 'link', '--user', 'a', '--hours', '721'], /from 1 to 720/],
    ['neither of two options', ['sessions', 'end'], /give either --session or --user/],
    ['both of two options', ['sessions', 'end', '--session', 'a', '--user', 'b'], /give either --session or --user/],
    ['a required option left out', ['keys', 'rotate'], /required option '--file <path>'/],
    ['an argument too many', ['keys', 'generate', 'x'], /too many arguments/],
    ['a value that is none', ['keys', 'generate', '--algorithm', 'RS256'], /Allowed choices are EdDSA, ES256/],
    ['a flag that is neither', ['users', 'set', '--username', 'a', '--staff', 'yes'], /It must be true or false/],
    ['a group that is none', ['users', 'set', '--username', 'a', '--group', 'Admin'], /one of Leader, Guest, User/],
    ['a day that does not exist', ['audit', '--since', '2026-02-30'], /It must be a day such as/],
    ['a number that is none', ['audit', '--limit', '0'], /from 1 to/],
    [
      'an action that is near',
      ['policy', 'explain', '--as', 'a', '--action', 'updat-user'],
      /Did you mean updateUser\?/,
    ],
    ['no number of demo members', ['seed'], /required option '--members <n>'/],
    ['more demo members than one call adds', ['seed', '--members', '100001'], /from 1 to 100000/],
    ['JSON from what ends with no value', ['serve', '--json'], /^error: unknown option '--json'\n$/],
    ['JSON from it, asked for in front', ['--json', 'serve'], /^error: unknown option '--json'\n$/],
    ['an action that is not', ['policy', 'explain', '--as', 'a', '--action', 'fly'], /one of listUsers,/],
  ];
  for (const [title, args, complaint] of wrong) {
    it(`takes ${title} as wrong usage`, async () => {
      const { err, out, status } = await call(args);
      expect([status, out]).to.deep.equal([2, '']);
      expect(err).to.match(complaint);
    });
  }

  it('tells its version, which is that of its package', async () => {
    const file = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect(await call(['--version'])).to.deep.equal({ status: 0, out: `${version}\n`, err: '' });
  });

  it('shows who may do what, from the rules themselves', async () => {
    expect(await call(['policy'])).to.deep.equal({ status: 0, out: policyTable(describePolicy()), err: '' });
    const { out } = await call(['policy', '--json']);
    const { actions } = JSON.parse(out) as { actions: unknown[] };
    expect(actions).to.deep.include({
      action: 'deleteUser',
      who: 'a Leader of the division',
      known_to: 'the user themself, a Leader of the division or a Guest of the division',
    });
  });

  it('has colours where the terminal shows them', async () => {
    const colours = true;
    expect((await call(['--help'], { colours })).out).to.include('\u001b[1mUsage:');
    for (const args of [['kyes'], ['keys', 'rotate', '--file', '/none/keys.json']]) {
      expect((await call(args, { colours })).err).to.match(/^.\[31m/);
      expect((await call(args)).err).not.to.include('\u001b');
    }
  });

  it('takes --json anywhere', async () => {
    const { out } = await call(['--json', 'policy']);
    expect(JSON.parse(out)).to.have.keys('actions', 'fields');
  });

  it('names every wrong setting before it does anything', async () => {
    const variables = { CHAPTER_ENV: 'PROD', DATABASE_POOL_SIZE: 'many' };
    expect(await call(['divisions', 'list'], { variables })).to.deep.equal({
      status: 1,
      out: '',
      err:
        'Wrong settings:\n  DATABASE_URL is required where CHAPTER_ENV is PROD\n' +
        '  DATABASE_POOL_SIZE must be a whole number from 1 to 1000, and is "many"\n',
    });
  });

  for (const [setting, value] of [
    ['DATABASE_URL', 'postgresql://127.0.0.1:9/none'],
    ['DATABASE_URL_FILE', '/none'],
    ['CHAPTER_ENV', 'PROD'],
  ] as const) {
    it(`refuses in one sentence to seed with ${setting}=${value}`, async () => {
      const reason = setting === 'CHAPTER_ENV' ? 'CHAPTER_ENV is PROD' : `${setting} is set`;
      expect(await call(['seed', '--members', '1'], { variables: { [setting]: value } })).to.deep.equal({
        status: 1,
        out: '',
        err: `seed adds demo members to the embedded database only, and ${reason}.\n`,
      });
    });
  }

  describe('for keys', () => {
    let dir: string;
    beforeEach(() => {
      dir = mkdtempSync(join(tmpdir(), 'chapter-cli-'));
    });
    afterEach(() => rmSync(dir, { recursive: true }));

    it('makes a private JWK set, of Ed25519 or P-256', async () => {
      const { out } = await call(['keys', 'generate']);
      expect(parseKeySet(out)[0].alg).to.equal('EdDSA');
      const json = await call(['keys', 'generate', '--algorithm', 'ES256', '--json']);
      expect(parseKeySet(json.out)[0].alg).to.equal('ES256');
    });

    it('rotates them, and says so', async () => {
      const file = join(dir, 'keys.json');
      writeFileSync(file, (await call(['keys', 'generate'])).out);
      const before = parseKeySet(readFileSync(file, 'utf8'))[0].kid;
      const { out } = await call(['keys', 'rotate', '--file', file, '--json']);
      const { check, signs } = JSON.parse(out) as { check: string[]; signs: string };
      expect(check).to.deep.equal([before]);
      expect(parseKeySet(readFileSync(file, 'utf8')).map(({ kid }) => kid)).to.deep.equal([signs, before]);
      expect((await call(['keys', 'rotate', '--file', file])).out).to.match(/^The key \S+ signs from now on\./);
    });

    it('refuses to rotate what is not there, in one sentence', async () => {
      expect(await call(['keys', 'rotate', '--file', join(dir, 'none')])).to.deep.equal({
        status: 1,
        out: '',
        err: `The signing keys in ${dir}/none cannot be replaced: there is no such file or directory.\n`,
      });
    });
  });
});
