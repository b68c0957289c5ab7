import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { execute } from '../../test-support/processes.ts';

describe('npm run bench:lists', () => {
  it('measures each page in databases of growing size, checks the plans, and writes nothing with BENCH=short', async () => {
    const before = readFileSync('docs/lists.md', 'utf8');
    const { stdout } = await execute(process.execPath, ['bench/lists.ts'], { env: { ...process.env, BENCH: 'short' } });
    expect(stdout).to.match(/^\| page +\| +\| +1,000 \| +2,000 \|$/m);
    const rows = (page: string) => stdout.match(new RegExp(`${page} +\\|( +[\\d.,]+ \\|){2}`, 'g'));
    expect(rows('the slowest of 24: page at 90 %, in an order of one field')).to.have.lengthOf(1);
    expect(rows('`search=quetzalj` +\\| ten')).to.have.lengthOf(1);
    expect(rows('`/api/divisions/\\?page_size=10` +\\| page at 90 %')).to.have.lengthOf(1);
    expect(stdout).to.match(/limits of rows read, rows sorted and blocks/);
    expect(readFileSync('docs/lists.md', 'utf8')).to.equal(before);
  });
});
