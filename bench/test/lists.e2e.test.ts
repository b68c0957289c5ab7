import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Client } from 'pg';
import { useTestDatabase } from '../../test-support/database.ts';
import { execute } from '../../test-support/processes.ts';

describe('npm run bench:lists', () => {
  const test = useTestDatabase();

  it('measures each kind of page in databases that it fills and drops again, and writes nothing where it is short', async () => {
    const documents = () => ['docs/lists.md', 'docs/lists-plans.md'].map((path) => readFileSync(path, 'utf8'));
    const before = documents();
    const env = { ...process.env, BENCH: 'short', BENCH_DATABASE_URL: test.url };
    const { stdout } = await execute(process.execPath, ['bench/lists.ts'], { env });
    expect(stdout).to.match(/^\| page +\| +\| 1,000: p50 \| +p99 \| 2,000: p50 \| +p99 \| ratio \| ≤ 1\.5 \|$/m);
    const number = '[\\d.,]+';
    const row = `\\| \`ordering=-birthdate\` +\\| previous, at 90 % \\|( +${number} \\|){5} (yes|\\*\\*no\\*\\*) +\\|`;
    expect(stdout.match(new RegExp(row, 'g'))).to.have.lengthOf(2);
    const divisions = `\\| \`/api/divisions/\\?page_size=10\` +\\| page at 90 % +\\|( +${number} \\|){5} `;
    expect(stdout.match(new RegExp(divisions, 'g'))).to.have.lengthOf(1);
    expect(stdout.match(/Of \d+ kinds of pages that are not to grow, \d+ stay within 1\.5/g)).to.have.lengthOf(2);
    expect(stdout).to.match(/limits of rows read and sorted/);
    expect(documents()).to.deep.equal(before);

    const client = new Client({ connectionString: test.url });
    await client.connect();
    const { rowCount } = await client.query(`select from pg_database where datname ~ '^chapter_lists_.*_[12]000$'`);
    await client.end();
    expect(rowCount).to.equal(0);
  });
});
