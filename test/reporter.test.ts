import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

describe('The reporter', () => {
  const { status, stdout } = spawnSync(
    'mocha',
    ['--no-config', '--reporter', path('../test-support/reporter.ts'), path('fixtures/report.ts')],
    { encoding: 'utf8' },
  );

  it('ends with one line that counts passed, failed and skipped tests', () => {
    expect(stdout.trimEnd().split('\n').at(-1)).to.equal('1 passed, 1 failed, 4 skipped');
  });

  it('names skipped tests with the reason', () => {
    expect(stdout).to.include('skipped: A suite has a test that skips itself (no moon)\n');
    expect(stdout).to.include('skipped: A suite with a hook skips its first test (no sun)\n');
    expect(stdout).to.include('skipped: A suite with a hook skips its second test (no sun)\n');
    expect(stdout).to.include('skipped: A suite has a test that is not written yet (no reason given)\n');
  });

  it('exits with 1 after a failure', () => {
    expect(status).to.equal(1);
  });
});

describe('A run', () => {
  it('fails if a block has no test', () => {
    const { status, stdout } = spawnSync('mocha', [path('fixtures/without-tests.ts')], { encoding: 'utf8' });
    expect(stdout).to.match(/Error: there is no test in A suite with a loop \(.+without-tests\.ts\)/);
    expect(status).to.equal(1);
  });
});
