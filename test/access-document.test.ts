import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { accessDocument, accessDocumentPath } from '../test-support/access-document.ts';

describe(accessDocumentPath, () => {
  it('matches the rules; if it does not, run `npm run docs:access`', () => {
    expect(readFileSync(accessDocumentPath, 'utf8')).to.equal(accessDocument());
  });
});
