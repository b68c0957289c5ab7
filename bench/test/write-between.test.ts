import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { writeBefore, writeBetween } from '../report/write-between.ts';

describe('writeBetween', () => {
  let folder = '';
  let document = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'chapter-report-'));
    document = join(folder, 'a.md');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('replaces what stands between the marks, and nothing else, as often as it is called', () => {
    writeFileSync(document, 'a\n\n<!-- npm run x -->\n<!-- end -->\n\nb\n<!-- npm run y -->\n\nold\n\n<!-- end -->\n');
    for (const text of ['long\nand longer', "one $1 and $' more"]) {
      writeBetween(document, 'npm run x', text);
      const written = `a\n\n<!-- npm run x -->\n\n${text}\n\n<!-- end -->\n\nb\n<!-- npm run y -->\n\nold\n\n<!-- end -->\n`;
      expect(readFileSync(document, 'utf8')).to.equal(written);
    }
  });

  it('refuses a document without the marks, which stays as it is', () => {
    for (const text of ['a\n', '<!-- npm run x -->\na\n', 'a\n<!-- end -->\n']) {
      writeFileSync(document, text);
      expect(() => writeBetween(document, 'npm run x', 'b')).to.throw('a.md has no place for what npm run x finds');
      expect(readFileSync(document, 'utf8')).to.equal(text);
    }
  });
});

describe('writeBefore', () => {
  let folder = '';
  let document = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'chapter-report-'));
    document = join(folder, 'a.md');
  });
  after(() => rmSync(folder, { recursive: true }));

  it('writes a document and keeps all from a heading on, as often as it is called', () => {
    writeBefore(document, '## B', 'old\n');
    expect(readFileSync(document, 'utf8')).to.equal('old\n');
    writeFileSync(document, 'old\n\n## B\n\nkept\n');
    for (const text of ['new\n', 'newer\nand longer\n']) {
      writeBefore(document, '## B', text);
      expect(readFileSync(document, 'utf8')).to.equal(`${text}\n## B\n\nkept\n`);
    }
  });
});
