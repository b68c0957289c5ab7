import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openCsv } from '../../src/csv/csv-file.ts';

describe('Reading a CSV file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chapter-csv-'));
  after(() => rmSync(folder, { recursive: true }));

  it('reports progress in steps of at most 2 % of a large file', async () => {
    const path = join(folder, 'large.csv');
    writeFileSync(path, `username\n${'ada\n'.repeat(500_000)}`);
    const file = await openCsv(path);
    const steps = [0];
    let records = 0;
    for await (const _ of file.records((bytes) => steps.push(bytes))) records += 1;
    await file.close();
    expect(records).to.equal(500_001);
    expect(steps.at(-1)).to.equal(file.size);
    const largest = Math.max(...steps.slice(1).map((bytes, at) => bytes - (steps[at] ?? 0)));
    expect(largest / file.size).to.be.at.most(0.02);
  });
});
