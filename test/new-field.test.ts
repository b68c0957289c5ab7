import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';
import { execute } from '../test-support/processes.ts';

const PATCH = 'docs/examples/new-field.patch';

/** Copies the packages to a folder and applies the patch there. */
const applyToCopy = async (path: string): Promise<void> => {
  for (const name of ['packages', 'test-support', 'package.json', 'tsconfig.base.json', '.mocharc.json']) {
    cpSync(name, join(path, name), { recursive: true, verbatimSymlinks: true });
  }
  symlinkSync(resolve('node_modules'), join(path, 'node_modules'));
  await execute('git', ['apply', resolve(PATCH)], { cwd: path });
};

describe('The recorded example of a new field', () => {
  const path = makeFolder();
  before(() => applyToCopy(path));

  it('changes at most ten files, which the architecture document lists', () => {
    const changed = [...readFileSync(PATCH, 'utf8').matchAll(/^\+\+\+ b\/packages\/(.+)$/gm)].map(([, file]) => file);
    const [, section = ''] = readFileSync('docs/architecture.md', 'utf8').split('\n## Adding a field\n');
    const listed = [...section.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file?.replace('NAME', '0011-phones'));
    expect(listed).to.have.members(changed);
    expect(changed).to.have.length.at.most(10);
  });

  it('compiles', async () => {
    const compilerOptions = { noEmit: true, types: ['node'] };
    const project = { extends: './tsconfig.base.json', compilerOptions, include: ['packages/*/src'] };
    writeFileSync(join(path, 'tsconfig.json'), JSON.stringify(project));
    await execute(resolve('node_modules/.bin/tsc'), ['-p', '.', '--singleThreaded'], { cwd: path });
  });

  it('is stored, listed and audited by the contract suite of the in-memory adapter', async () => {
    const { stdout } = await execute(
      resolve('node_modules/.bin/mocha'),
      ['--grep', 'update of phone', 'packages/domain/test/testing/contracts.test.ts'],
      { cwd: path },
    );
    expect(stdout).to.match(/^[1-9]\d* passed, 0 failed$/m);
  });
});
