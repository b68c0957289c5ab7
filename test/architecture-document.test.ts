import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const text = readFileSync('docs/architecture.md', 'utf8');

/** Returns the files of the numbered list below a line that begins with the subject in bold. */
const filesFor = (subject: string): readonly string[] => {
  const [, section = ''] = text.split(`\n**${subject}** takes `);
  const [list = ''] = section.split(/\n\n(?=\*\*|#|[A-Z])/);
  return [...list.matchAll(/^\d+\. (.+)$/gm)].map(([, item = '']) => /`([^`]+)`/.exec(item)?.[1] ?? '');
};

describe('The architecture document', () => {
  for (const [subject, maxFiles] of [
    ['An endpoint', 6],
    ['A group', 4],
  ] as const) {
    it(`lists at most ${maxFiles} files, which exist, for ${subject.toLowerCase()}`, () => {
      const files = filesFor(subject);
      expect(files).to.have.length.within(1, maxFiles);
      const absent = files.filter((file) => !file.includes('NAME') && !existsSync(`packages/${file}`));
      expect(absent).to.deep.equal([]);
    });
  }

  it('ends with a glossary of at most 25 terms', () => {
    const [, glossary = ''] = text.split('\n## Glossary\n');
    const rows = glossary.split('\n').filter((line) => line.startsWith('| '));
    // The first row is the header, the second the line below it.
    expect(rows.slice(2)).to.have.length.within(1, 25);
  });
});
