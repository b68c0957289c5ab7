import { expect } from 'chai';
import { execute } from '../../test-support/processes.ts';
import { skip } from '../../test-support/skip.ts';

const run = async (...command: readonly string[]): Promise<string> => {
  const chosen = { BENCH_KINDS: 'read a user;change a user', BENCH_CONNECTIONS: '2' };
  const env = { ...process.env, BENCH: 'short', ...chosen };
  return (await execute(process.execPath, command, { env })).stdout;
};

describe('the benchmarks of requests', () => {
  before(function () {
    if (process.platform !== 'linux') skip(this, 'the CPU of processes is read from /proc, which only Linux has');
  });

  for (const [title, command, servers] of [
    ['npm run bench compares the service with the baseline', ['bench/main.ts'], ['baseline', 'service']],
    [
      'npm run bench:compare compares it with a commit',
      ['bench/main.ts', '--against', 'HEAD'],
      ['HEAD', 'this folder'],
    ],
  ] as const) {
    it(title, async () => {
      const printed = await run(...command);
      const [first, last] = servers;
      expect(printed).to.match(new RegExp(`\\| +CPU ÷ ${first} \\| +throughput ÷ ${first} \\|`));
      for (const name of ['read a user', 'change a user']) {
        expect(printed).to.match(new RegExp(`\\| ${name} +\\| +2 \\| ${first} +\\|( +[\\d.,]+ \\|){3} +0 \\|`));
      }
      expect(printed.match(new RegExp(`\\| ${last} +\\|( +[\\d.,]+ \\|){3} +0 \\|`, 'g'))).to.have.lengthOf(2);
    });
  }

  it('npm run bench:trips counts trips and statements', async () => {
    const printed = await run('bench/trips.ts');
    expect(printed).to.match(/\| read a user +\| +[\d.]+ \| +[\d.]+ \| +[\d.–]+ \| +1\.0 \| +1\.0 \|/);
  });
});
