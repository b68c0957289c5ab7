import { expect } from 'chai';
import { execute } from '../../test-support/processes.ts';
import { skip } from '../../test-support/skip.ts';

describe('npm run bench', () => {
  it('runs all parts and prints the report', async function () {
    if (process.platform !== 'linux') skip(this, 'the CPU of processes is read from /proc, which only Linux has');
    const chosen = { BENCH_KINDS: 'read a user;change a user', BENCH_SECONDS: '0.3', BENCH_MINUTES: '0.001' };
    const env = { ...process.env, BENCH: 'short', ...chosen };
    const { stdout } = await execute(process.execPath, ['bench/main.ts'], { env });
    for (const name of ['read a user', 'change a user']) {
      expect(stdout).to.match(new RegExp(`\\| ${name} +\\| baseline \\|( +[\\d.,]+ \\|){3} +0 \\|`));
    }
    expect(stdout.match(/\| {10,}\| service {2}\|( +[\d.,]+ \|){3} +0 \|/g)).to.have.lengthOf(2);
    expect(stdout).to.match(/ pairs of loads of 0\.3 s: throughput [\d.]+ /);
    expect(stdout).to.include("Half of the service's greatest load");
    for (const part of ['to first response: ', '`WORKERS=2` ÷ one', 'Memory of the service over']) {
      expect(stdout).to.include(part);
    }
  });
});
