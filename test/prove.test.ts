import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { isProven, type ProofPart, proofTable, runPart, testsOf } from '../scripts/proof.ts';
import { parts } from '../scripts/prove.ts';
import { run } from '../scripts/run.ts';

const part = (command: string): ProofPart => ({ name: 'part', command });
const report = (count: number, compared: string) => `echo '${JSON.stringify({ count, compared })}' >> "$PROOF_COUNTS"`;

describe('A part of the proof', () => {
  it('has a row for each count that its run reported', async () => {
    const rows = await runPart(part(`${report(3, 'decisions')}; ${report(4, 'fields')}; echo 2 passed, 0 failed`));
    expect(rows).to.deep.equal([
      { part: 'part', compared: 'decisions', count: 3, differences: 0 },
      { part: 'part', compared: 'fields', count: 4, differences: 0 },
    ]);
    expect(rows.map(isProven)).to.deep.equal([true, true]);
  });

  it('fails with the failures of its run', async () => {
    const rows = await runPart(part(`${report(3, 'decisions')}; echo 2 passed, 5 failed; exit 1`));
    expect(rows).to.deep.equal([{ part: 'part', compared: 'decisions', count: 3, differences: 5 }]);
    expect(rows.map(isProven)).to.deep.equal([false]);
  });

  it('fails if its run ends without counting its failures', async () => {
    const [row] = await runPart(part(`${report(3, 'decisions')}; exit 1`));
    expect(row).to.include({ count: 3, differences: 1 });
  });

  it('names each test file, because mocha finds none by a pattern with braces only', () => {
    const { command } = testsOf('part', 'test/{prove,proof-counts}.test.ts');
    expect(command).to.equal('mocha --forbid-pending test/proof-counts.test.ts test/prove.test.ts');
    expect(() => testsOf('part', 'test/{absent,missing}.test.ts')).to.throw('no test file matches test/{absent');
  });

  it('fails if nothing was compared', async () => {
    const rows = [
      ...(await runPart(part('echo 2 passed, 0 failed'))),
      ...(await runPart(part(report(0, 'decisions')))),
    ];
    expect(rows.map(({ count }) => count)).to.deep.equal([0, 0]);
    expect(rows.map(isProven)).to.deep.equal([false, false]);
  });
});

describe('npm run prove', () => {
  it('prints one table', () => {
    const rows = [{ part: 'walk', compared: 'states walked', count: 12, differences: 0 }];
    expect(proofTable(rows)).to.equal(
      [
        '| Part | Compared      | Count | Differences |',
        '| ---- | ------------- | ----- | ----------- |',
        '| walk | states walked | 12    | 0           |',
        '',
      ].join('\n'),
    );
  });

  it('runs every test that reports a count', () => {
    const tested = parts.flatMap(({ command }) => command.split(' ').filter((word) => word.endsWith('.test.ts')));
    const reporting = globSync('packages/*/test/**/*.test.ts').filter((path) =>
      readFileSync(path, 'utf8').includes('reportCount('),
    );
    expect(tested).to.include.members(reporting);
  });

  it('rejects an unknown part', async () => {
    const { ok, output } = await run('node scripts/prove.ts walks');
    expect(ok).to.equal(false);
    expect(output).to.match(/^unknown part walks; the parts are enumeration, walk, /);
  });
});
