import { readFileSync } from 'node:fs';
import { describePolicy, policyTable } from '@chapter/domain';
import { expect } from 'chai';
import type { Command } from 'commander';
import { execute } from '../../../../test-support/processes.ts';
import { makeProgram } from '../../src/cli/run.ts';
import { call, silentContext } from './call.ts';

describe('The command line', () => {
  /** The words of a command and of its subcommands, without the name of the program. */
  const wordsOf = (command: Command, words: readonly string[] = []): readonly (readonly string[])[] => [
    words,
    ...command.commands.flatMap((subcommand) => wordsOf(subcommand, [...words, subcommand.name()])),
  ];
  const commands = wordsOf(makeProgram(silentContext));
  it('has the commands of the contract', () => {
    const [, section = ''] = readFileSync('docs/contract.md', 'utf8').split('\n## 10. Command line\n');
    const [table = ''] = section.split('\n## ');
    const calls = [...table.matchAll(/^\| (`.+?)(?<!\\)\|/gm)].flatMap(([, cell = '']) =>
      Array.from(
        cell.matchAll(/`([^`]+)`/g),
        ([, called = '']) => /^[a-z-]+(?: [a-z][a-z-]*)*/.exec(called)?.[0] ?? '',
      ),
    );
    const groups = calls.map((words) => words.split(' ').slice(0, -1).join(' '));
    expect([...new Set([...groups, ...calls])]).to.have.members(commands.map((words) => words.join(' ')));
  });
  for (const command of commands) {
    it(`prints the help of chapter ${command.join(' ')}`, async () => {
      const { err, out, status } = await call([...command, '--help']);
      expect([status, err]).to.deep.equal([0, '']);
      expect(out)
        .to.match(new RegExp(`^Usage: ${['chapter', ...command].join(' ')}\\b`))
        .and.include('--help');
      expect(out).not.to.include('\u001b');
      expect(await call(['help', ...command])).to.deep.equal({ status: 0, out, err: '' });
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

  it('prints the version of its package', async () => {
    const file = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect(await call(['--version'])).to.deep.equal({ status: 0, out: `${version}\n`, err: '' });
  });

  it('loads neither the adapters nor other large libraries until a command runs', async () => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
    const args = [
      '--import',
      `data:text/javascript,${encodeURIComponent(hook)}`,
      'packages/app/src/cli/main.ts',
      '--help',
    ];
    const { stderr } = await execute(process.execPath, args);
    const loaded = stderr.matchAll(/(?:.*\/node_modules|adapters-\w+\/src)\/([\w-]+)/g);
    const small = ['commander', 'fastest-levenshtein', 'uuid', 'names', 'database-url'];
    expect(new Set(Array.from(loaded, ([, name]) => name))).to.have.keys(small);
  });

  it('prints the access table of the policy', async () => {
    expect(await call(['policy'])).to.deep.equal({ status: 0, out: policyTable(describePolicy()), err: '' });
    const { out } = await call(['policy', '--json']);
    const { actions } = JSON.parse(out) as { actions: unknown[] };
    expect(actions).to.deep.include({
      action: 'deleteUser',
      who: 'a Leader of the division',
      operator: true,
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
});
