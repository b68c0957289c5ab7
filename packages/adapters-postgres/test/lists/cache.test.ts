import { expect } from 'chai';
import { makeCache } from '../../src/lists/statements.ts';

describe('makeCache', () => {
  it('makes a value again only after others were used more recently', () => {
    const made: string[] = [];
    const cache = makeCache<string>(2);
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) {
      cache(key, () => {
        made.push(key);
        return key;
      });
    }
    expect(made).to.deep.equal(['a', 'b', 'c', 'b']);
  });
});
