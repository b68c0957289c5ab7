import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';

const readme = readFileSync('packages/domain/README.md', 'utf8');

/** Returns the first code block of a section. */
const codeUnder = (heading: string): string => {
  const [, section = ''] = readme.split(`\n## ${heading}\n`);
  return /```ts\n(?<code>[^]*?)```/.exec(section.split('\n## ')[0] ?? '')?.groups?.['code'] ?? '';
};

describe('The README of the domain', () => {
  const project = makeFolder();
  const modules = join(project, 'node_modules');
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: project, encoding: 'utf8' });

  before(() => {
    mkdirSync(join(modules, '@chapter'), { recursive: true });
    symlinkSync(resolve('packages/domain'), join(modules, '@chapter/domain'));
    symlinkSync(resolve('node_modules/@types'), join(modules, '@types'));
    symlinkSync(resolve('node_modules/chai'), join(modules, 'chai'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(project, 'rules.test.ts'), codeUnder('Test your own rules'));
    writeFileSync(join(project, 'import.ts'), `declare const claims: unknown;\n${codeUnder('Decide')}\nexport {};`);
  });

  it('shows how to test rules in twenty lines at most', () => {
    expect(codeUnder('Test your own rules').trimEnd().split('\n').length).to.be.within(10, 20);
  });

  it('shows a test of rules that passes', () => {
    const { stdout } = run('mocha', '--no-config', '--reporter', 'json', 'rules.test.ts');
    const { stats } = JSON.parse(stdout) as { stats: { passes: number; failures: number } };
    expect(stats).to.include({ passes: 1, failures: 0 });
  });

  it('shows code that compiles', () => {
    const base = resolve('tsconfig.base.json');
    const compilerOptions = { noEmit: true, types: ['mocha'] };
    const files = ['rules.test.ts', 'import.ts'];
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ extends: base, compilerOptions, files }));
    expect(run('tsc', '-p', '.', '--singleThreaded').stdout).to.equal('');
  });
});
