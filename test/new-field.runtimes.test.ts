import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../test-support/folders.ts';
import { execute } from '../test-support/processes.ts';

describe('The recorded example of a new field, applied to a copy of the packages,', () => {
  const path = makeFolder();
  before(async () => {
    for (const name of ['packages', 'test-support', 'package.json', 'tsconfig.base.json', '.mocharc.json']) {
      cpSync(name, join(path, name), { recursive: true, verbatimSymlinks: true });
    }
    symlinkSync(resolve('node_modules'), join(path, 'node_modules'));
    await execute('git', ['apply', resolve('docs/examples/new-field.patch')], { cwd: path });
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
