import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { table, writeBetween } from '../test-support/report/markdown.ts';
import { format, median, percentiles } from '../test-support/report/numbers.ts';

describe('A measured report', () => {
  it('replaces the text between the marks of a document', () => {
    const folder = mkdtempSync(join(tmpdir(), 'chapter-report-'));
    const document = join(folder, 'a.md');
    writeFileSync(document, 'a\n\n<!-- npm run x -->\n\nold\n\n<!-- end -->\n\nb\n');
    writeBetween(document, 'npm run x', "one $1 and $' more");
    const expected = "a\n\n<!-- npm run x -->\n\none $1 and $' more\n\n<!-- end -->\n\nb\n";
    expect(readFileSync(document, 'utf8')).to.equal(expected);
    expect(() => writeBetween(document, 'npm run y', 'b')).to.throw('a.md has no place for the results of npm run y');
    rmSync(folder, { recursive: true });
  });

  it('aligns numbers to the right, with three significant digits', () => {
    const rows = [['read', '-1'] as const, ['list', '1,000'] as const];
    const lines = ['| kind |     n |', '| ---- | ----: |', '| read |    -1 |', '| list | 1,000 |'];
    expect(table(['kind', 'n'], rows)).to.equal(lines.join('\n'));
    expect([12_345.6, 12.34, 1.234, Number.NaN].map(format)).to.deep.equal(['12,346', '12.3', '1.23', '–']);
  });

  it('computes medians and percentiles', () => {
    expect([median([3, 1, 2]), median([1, 2])]).to.deep.equal([2, 1.5]);
    expect(percentiles(Array.from({ length: 100 }, (_, at) => 100 - at))).to.deep.equal({ p50: 50, p99: 99 });
  });
});
