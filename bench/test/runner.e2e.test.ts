import { expect } from 'chai';
import { execute } from '../../test-support/processes.ts';
import { skip } from '../../test-support/skip.ts';

describe('npm run bench', () => {
  it('measures floor and service and prints the table', async function () {
    if (process.platform !== 'linux') skip(this, 'what processes cost is read from /proc, which only Linux has');
    const env = {
      ...process.env,
      BENCH: 'short',
      BENCH_GENERATOR: 'autocannon',
      BENCH_SECONDS: '0.3',
      BENCH_KINDS: 'read a user;deep page;change a user',
    };
    const { stdout } = await execute(process.execPath, ['bench/main.ts'], { env });
    for (const name of ['read a user', 'deep page', 'change a user']) {
      const number = ' +[\\d.,]+ ';
      expect(stdout).to.match(new RegExp(`\\| ${name} +\\| floor +\\|${number}\\|${number}\\|${number}\\| +0 \\|`));
    }
    expect(stdout).to.match(/\| {11,}\| service \| +[\d.,]+ \| +[\d.,]+ \| +[\d.,]+ \| +0 \|/);
    expect(stdout)
      .to.include('in 2 turns at each, of 0.3 s')
      .and.match(/\| one deep page +\| the first page +\| +[\d.]+ \|/);
    expect(stdout).to.include('to first answer: service ').and.include('`WORKERS=2` ÷ one');
  });
});
