import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { skip } from '../../../../test-support/skip.ts';
import { call } from './call.ts';

type Shell = 'bash' | 'zsh';

/** Completes the last word of each line in one shell. */
type Complete = (shell: Shell, script: string, lines: readonly string[]) => readonly (readonly string[])[];

const wordsOf = (line: string): string =>
  line
    .split(' ')
    .map((word) => `'${word}'`)
    .join(' ');

/** Replaces the line editors of the shells, which need a terminal. */
const HARNESSES: Readonly<Record<Shell, { readonly before: string; readonly ask: (line: string) => string }>> = {
  bash: {
    before: 'compopt() { COMPREPLY=("(files)"); }',
    ask: (line) =>
      `COMP_WORDS=(${wordsOf(line)}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _chapter; echo "\${COMPREPLY[*]}"`,
  },
  zsh: {
    before:
      'compdef() { :; }; _files() { result="(files)"; }; _describe() { local w; for w in $offered; do result+="${w%%:*} "; done; }',
    ask: (line) => `words=(${wordsOf(line)}); CURRENT=\${#words}; result=""; _chapter; echo "$result"`,
  },
};

const complete: Complete = (shell, script, lines) => {
  const { before, ask } = HARNESSES[shell];
  const program = [before, script, ...lines.map(ask)].join('\n');
  const { status, stderr, stdout } = spawnSync(
    shell,
    shell === 'bash' ? ['--norc', '-c', program] : ['-f', '-c', program],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).to.deep.equal([0, '']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter((word) => word !== ''));
};

/** Returns the options and commands in the help of a command, without one-letter aliases. */
const inHelp = async (path: readonly string[]) => {
  const { out } = await call([...path, '--help']);
  const section = (title: string): string => out.split(`\n${title}:\n`)[1]?.split('\n\n')[0] ?? '';
  const named = (text: string): readonly string[] =>
    [...text.matchAll(/^ {2}(?:-\w, )?([\w-]+)/gm)].map(([, name = '']) => name);
  return { options: named(section('Options')), commands: named(section('Commands')) };
};

const PATHS = [
  '',
  'serve',
  'users',
  'users create',
  'users set',
  'divisions list',
  'policy',
  'policy explain',
  'completion zsh',
];

describe('The completion script', () => {
  const requireShell = (test: Mocha.Context, shell: Shell): void => {
    if (spawnSync(shell, ['-c', ':']).status !== 0) skip(test, `there is no ${shell}`);
  };

  for (const shell of ['bash', 'zsh'] as const) {
    describe(`for ${shell}`, () => {
      let script: string;
      before(async function () {
        requireShell(this, shell);
        script = (await call(['completion', shell])).out;
      });

      it('offers the commands and options in the help of each command', async () => {
        const helps = await Promise.all(PATHS.map((path) => inHelp(path.split(' ').filter((word) => word !== ''))));
        const typed = PATHS.map((path) => `chapter${path && ` ${path}`} `);
        const offered = complete(shell, script, [...typed, ...typed.map((line) => `${line}--`)]);
        for (const [at, { commands, options }] of helps.entries()) {
          expect(offered[at], PATHS[at]).to.deep.equal(commands.length > 0 ? commands : options);
          expect(offered[at + PATHS.length], PATHS[at]).to.deep.equal(options);
        }
      });

      it('offers the choices of an option, files for a file option, and nothing for free text', () => {
        const lines = [
          'chapter users create --group ',
          'chapter users set --username leader --staff ',
          'chapter import --users ',
          'chapter --json keys rotate --file ',
          'chapter users create --username ',
          'chapter divisions create --name users --logo ',
        ];
        const [groups, flags, ...others] = complete(shell, script, lines);
        expect(groups).to.deep.equal(['Leader', 'Guest', 'User']);
        expect(flags).to.deep.equal(['true', 'false']);
        expect(others).to.deep.equal([['(files)'], ['(files)'], [], []]);
      });
    });
  }

  it('for bash offers only words that begin with the typed text', async function () {
    requireShell(this, 'bash');
    const { out } = await call(['completion', 'bash']);
    const lines = ['chapter di', 'chapter divisions cr', 'chapter users create --s', 'chapter x'];
    expect(complete('bash', out, lines)).to.deep.equal([['divisions'], ['create'], ['--staff', '--superuser'], []]);
  });

  it('is included in the JSON of the command', async () => {
    const { out } = await call(['completion', 'zsh', '--json']);
    expect(JSON.parse(out)).to.deep.equal({ shell: 'zsh', script: (await call(['completion', 'zsh'])).out });
  });
});
