import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { makeFolder } from '../../../../test-support/folders.ts';
import { openCsv } from '../../src/csv/csv-file.ts';

describe('Reading a CSV file', () => {
  const folder = makeFolder();

  const faultOf = async (content: string | Buffer): Promise<string> => {
    const path = join(folder, 'faulty.csv');
    writeFileSync(path, content);
    const file = await openCsv(path);
    try {
      for await (const _ of file.records(() => {}));
      return '';
    } catch (error) {
      return String(error);
    } finally {
      await file.close();
    }
  };

  for (const [name, lineEnd] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    const lines = `username${lineEnd}${`ada${lineEnd}`.repeat(30_000)}`;

    it(`names the line of a byte that is not UTF-8 after line ends ${name}`, async () => {
      expect(await faultOf(Buffer.from(`${lines}Zo\u00eb${lineEnd}`, 'latin1'))).to.include(
        'line 30002: the text is not',
      );
    });

    it(`names the line that is too long after line ends ${name}`, async () => {
      expect(await faultOf(`${lines}${'x'.repeat(5_000_000)}`)).to.include('line 30002: the line is too long');
    });
  }

  it('reads a file of any size with line ends CR', async () => {
    expect(await faultOf(`${'x'.repeat(99)}\r`.repeat(50_000))).to.equal('');
  });

  it('reports progress in steps of at most 2 % of a large file', async () => {
    const path = join(folder, 'large.csv');
    writeFileSync(path, `username\n${`${'x'.repeat(99)}\n`.repeat(50_000)}`);
    const file = await openCsv(path);
    const steps = [0];
    let records = 0;
    for await (const _ of file.records((bytes) => steps.push(bytes))) records += 1;
    await file.close();
    expect(records).to.equal(50_001);
    expect(steps.at(-1)).to.equal(file.size);
    const largest = Math.max(...steps.slice(1).map((bytes, at) => bytes - (steps[at] ?? 0)));
    expect(largest / file.size).to.be.at.most(0.02);
  });
});
