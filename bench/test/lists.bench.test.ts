import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { execute } from '../../test-support/processes.ts';

describe('npm run bench:lists', () => {
  it('measures pages, checks plans, measures what indexes cost, and writes nothing with BENCH=short', async () => {
    const contents = () => ['docs/lists.md', 'bench/LISTS.md'].map((path) => readFileSync(path, 'utf8'));
    const before = contents();
    const { stdout } = await execute(process.execPath, ['bench/lists.ts'], { env: { ...process.env, BENCH: 'short' } });
    expect(stdout).to.match(/^\| page +\| +\| +40 \| +400 \| +4,000 \|$/m);
    const rows = (page: string, columns: number) =>
      stdout.match(new RegExp(`^\\| ${page} +\\|( +-?[\\d.,]+ \\|){${columns}}$`, 'gm'));
    // One in the summary, and one in all durations.
    expect(rows('.*the slowest of 24: page at 90 %, in an order of one field', 3)).to.have.lengthOf(2);
    expect(rows('`search=quetzalj` +\\| ten', 3)).to.have.lengthOf(2);
    expect(rows('`search=quetzalj`', 6)).to.have.lengthOf(1);
    expect(rows('`/api/divisions/\\?page_size=10` +\\| page at 90 %', 1)).to.have.lengthOf(1);
    expect(rows('user_account_email_key_order +\\| +\\d+ \\| `ordering=email`, first page', 3)).to.have.lengthOf(1);
    expect(stdout).to.match(/limits of rows read, rows sorted and blocks/);
    expect(stdout).to.match(/\(0 blocks of users were marked as visible to all\).* had 100 prepared statements/);
    expect(contents()).to.deep.equal(before);
  });
});
