import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { PROOF_COUNTS, readCounts } from '../scripts/proof-counts.ts';
import { run } from '../scripts/run.ts';

describe('A count', () => {
  const directory = mkdtempSync(join(tmpdir(), 'counts-'));
  after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'counts');
  const program = `import { reportCount } from './scripts/proof-counts.ts';
    reportCount(2, 'decisions'); reportCount(3, 'outcomes');`;
  const report = (variables: Record<string, string>) =>
    run(`node --input-type=module-typescript --eval "${program}"`, { variables });

  it('is printed and passed to the process that requested it', async () => {
    const { output } = await report({ [PROOF_COUNTS]: path });
    expect(output).to.equal('      2 decisions\n      3 outcomes');
    expect(readCounts(path)).to.deep.equal([
      { count: 2, compared: 'decisions' },
      { count: 3, compared: 'outcomes' },
    ]);
  });

  it('is only printed if no process requested it', async () => {
    expect((await report({ [PROOF_COUNTS]: '' })).output).to.equal('      2 decisions\n      3 outcomes');
  });

  it('is absent for a run that reported none', () => {
    expect(readCounts(join(directory, 'none'))).to.deep.equal([]);
  });
});
