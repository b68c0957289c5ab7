import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { execute } from '../../test-support/processes.ts';

describe('npm run bench:lists', () => {
  it('measures pages, checks plans, and writes nothing with BENCH=short', async () => {
    const contents = () => ['docs/lists.md', 'bench/LISTS.md'].map((path) => readFileSync(path, 'utf8'));
    const before = contents();
    const { stdout } = await execute(process.execPath, ['bench/lists.ts'], { env: { ...process.env, BENCH: 'short' } });
    expect(stdout).to.match(/^\| page +\| +\| +40 \| +400 \| +4,000 \|$/m);
    expect(stdout.match(/\| the slowest of 24: page at 90 % +\|( +[\d.,]+ \|){3}$/gm)).to.have.lengthOf(2);
    expect(stdout).to.match(/^\| `search=quetzalj` +\| ten +\|( +[\d.,]+ \|){3}$/m);
    expect(stdout).to.match(/^\| `\/api\/divisions\/\?page_size=10` +\| page at 90 % +\| +[\d.,]+ \|$/m);
    expect(stdout).to.match(
      /^\| user_account_email_key_order +\| +\d+ \| `ordering=email`, first page +\| +[\d.,]+ \|$/m,
    );
    expect(stdout).to.match(/limits of rows read, rows sorted and blocks/);
    expect(contents()).to.deep.equal(before);
  });
});
