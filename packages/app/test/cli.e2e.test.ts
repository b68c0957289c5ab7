import { spawnSync } from 'node:child_process';
import { expect } from 'chai';

describe('chapter', () => {
  it('keeps faults off standard output', () => {
    const { status, stdout } = spawnSync('npm', ['run', '--silent', 'chapter', '--', 'no-such-command'], {
      encoding: 'utf8',
    });
    expect(status).to.equal(2);
    expect(stdout).to.equal('');
  });
});
