import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

describe('The processes that tests start', () => {
  it('end with the run, which also ends, if a hook fails before it ends them', () => {
    const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
    const { signal, status, stdout } = spawnSync(
      'mocha',
      ['--no-config', '--require', path('../test-support/hooks.ts'), path('fixtures/leave-processes.ts')],
      { encoding: 'utf8' },
    );
    expect(stdout).to.include('the hook fails');
    expect([status, signal]).to.deep.equal([1, null]);
  });

  it('are all started by functions that end them with the run', () => {
    const direct = /import \{[^}]*\b(spawn|fork|exec|execFile)\b[^}]*\} from 'node:child_process'/;
    const files = globSync('{packages/*/test,test,bench/test,test-support}/**/*.ts');
    expect(files.filter((file) => direct.test(readFileSync(file, 'utf8')))).to.have.members([
      'test-support/processes.ts',
      // The commands that run the parts of the tests end them, as run.test.ts shows.
      'test-support/run.ts',
      // The embedded PostgreSQL ends when its parent process ends.
      'test-support/postgres/embedded.ts',
    ]);
  });
});
