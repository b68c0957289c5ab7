import { expect } from 'chai';
import { formatCount } from '../../src/text/format-count.ts';

describe('A formatted count', () => {
  it('is followed by the singular or the plural', () => {
    const counts = [0, 1, 2, 12_345].map((count) => formatCount(count, 'user'));
    expect(counts).to.deep.equal(['0 users', '1 user', '2 users', '12,345 users']);
    const plurals = ['entry', 'key'].map((thing) => formatCount(2, thing));
    expect(plurals).to.deep.equal(['2 entries', '2 keys']);
  });
});
