import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { accessDocument, path } from '../scripts/docs-access.ts';

describe(path, () => {
  it('matches the rules; if it does not, run `npm run docs:access`', () => {
    expect(readFileSync(path, 'utf8')).to.equal(accessDocument());
  });
});
