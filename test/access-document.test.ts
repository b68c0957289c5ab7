import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { accessDocumentPath, withCurrentTables } from '../test-support/access-document.ts';

describe(accessDocumentPath, () => {
  const document = readFileSync(accessDocumentPath, 'utf8');

  it('matches the rules; if it does not, run `npm run docs:access`', () => {
    expect(document).to.equal(withCurrentTables(document));
  });

  it('has both tables of the rules', () => {
    expect(document.match(/^<!-- \w+:/gm)).to.deep.equal(['<!-- actions:', '<!-- roles:']);
    expect(withCurrentTables('<!-- actions: x -->\n<!-- end -->')).to.match(/^\| get user +\| the user themself/m);
  });
});
