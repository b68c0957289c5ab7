import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { accessDocument, path } from '../scripts/docs-access.ts';

describe(path, () => {
  it('says what the rules say; where it does not, `npm run docs:access` writes it anew', () => {
    expect(readFileSync(path, 'utf8')).to.equal(accessDocument());
  });
});
