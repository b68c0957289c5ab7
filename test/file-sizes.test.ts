import { expect } from 'chai';
import { linesIn, PARTS, sourceFiles } from '../test-support/source-lines.ts';

describe('Source files', () => {
  for (const { name, folders, without, maxLines, maxFiles } of PARTS) {
    it(`keep the budget of ${name}`, () => {
      const files = sourceFiles(folders, without);
      expect(linesIn(files)).to.be.at.most(maxLines);
      expect(files.length).to.be.at.most(maxFiles ?? Number.POSITIVE_INFINITY);
    });
  }

  it('of a renamed folder are missed', () => {
    expect(() => sourceFiles(['packages/*/source'])).to.throw('packages/*/source has no source files');
  });
});
