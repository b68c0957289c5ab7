import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { execute } from '../../test-support/processes.ts';
import { skip } from '../../test-support/skip.ts';

const KINDS = ['read a user', 'change a user'];

describe('npm run', () => {
  before(function () {
    if (process.platform !== 'linux') skip(this, 'the CPU of processes is read from /proc, which only Linux has');
  });

  const run = async (...command: readonly string[]): Promise<string> => {
    const chosen = { BENCH: 'short', BENCH_KINDS: KINDS.join(';'), BENCH_CONNECTIONS: '2' };
    return (await execute(process.execPath, command, { env: { ...process.env, ...chosen } })).stdout;
  };

  for (const [title, first, last, ...command] of [
    ['bench compares the service with the baseline', 'baseline', 'service'],
    ['bench:compare compares it with a commit', '[0-9a-f]{7,}', 'this folder', '--against', 'HEAD'],
  ] as const) {
    it(title, async () => {
      const printed = await run('bench/main.ts', ...command);
      expect(printed).to.match(new RegExp(`\\| +CPU ÷ ${first} \\| +throughput ÷ ${first} \\|`));
      for (const name of KINDS) {
        expect(printed).to.match(new RegExp(`\\| ${name} +\\| +2 \\| ${first} +\\|( +[\\d.,]+ \\|){5} +0 \\|`));
      }
      expect(printed.match(new RegExp(`\\| ${last} +\\|( +[\\d.,]+ \\|){5} +0 \\|`, 'g'))).to.have.lengthOf(2);
    });
  }

  it('bench refuses unknown arguments by name', async () => {
    const refused = await run('bench/main.ts', '--againts', 'HEAD').catch((error: unknown) => error);
    const stderr = 'unknown arguments: --againts HEAD; the only one is --against COMMIT\n';
    expect(refused).to.include({ code: 2, stderr });
  });

  it('bench:trips counts trips and statements', async () => {
    const printed = await run('bench/trips.ts');
    expect(printed).to.match(/\| read a user +\| +[\d.]+ \| +[\d.]+ \| +[\d.–]+ \| +1\.0 \| +1\.0 \|/);
  });

  it('bench:corpus finds that no hostile request takes more than eight times as long for four times the bytes', async () => {
    const printed = await run('bench/corpus.ts');
    expect(printed, printed).to.match(/Each of 7\d\d requests .* times as long \(.*\); at most 8: yes/);
  });

  it('bench:replicas counts the lists of replicas, with and without lag', async () => {
    const printed = await run('bench/replicas.ts');
    expect(printed.match(/^\| +[\d.]+ s \|( +[\d.]+ % \|){3}$/gm)).to.have.lengthOf(4);
    expect(printed, printed).to.match(/^\| +0 s \| +[1-9]/m);
    expect(printed).not.to.match(/^\| +30 s .* 100\.0 % \|$/m);
  });

  it('bench:lists measures pages, checks plans, and writes nothing with BENCH=short', async () => {
    const contents = () => ['docs/lists.md', 'bench/LISTS.md'].map((path) => readFileSync(path, 'utf8'));
    const before = contents();
    const printed = await run('bench/lists.ts');
    expect(printed).to.match(/^\| page +\| +\| +40 \| +400 \| +4,000 \|$/m);
    expect(printed.match(/\| the slowest of 24: page at 90 % +\|( +[\d.,]+ \|){3}$/gm)).to.have.lengthOf(2);
    expect(printed).to.match(/^\| `search=quetzalj` +\| ten +\|( +[\d.,]+ \|){3}$/m);
    expect(printed).to.match(/^\| `\/api\/divisions\/\?page_size=10` +\| page at 90 % +\| +[\d.,]+ \|$/m);
    expect(printed).to.match(/limits of rows read, rows sorted and blocks/);
    expect(contents()).to.deep.equal(before);
  });
});
