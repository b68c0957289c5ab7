import { expect } from 'chai';
import { didYouMean, nearest } from '../../src/text/did-you-mean.ts';

describe('The nearest name', () => {
  const names = ['create', 'list', 'generate', 'rotate'];

  for (const [text, meant] of [
    ['craete', 'create'],
    ['LIST', 'list'],
    ['lst', 'list'],
    ['rotates', 'rotate'],
    ['genrate', 'generate'],
    ['lits', 'list'],
  ] as const) {
    it(`to ${text} is ${meant}`, () => expect(nearest(text, names)).to.equal(meant));
  }

  it('is undefined if no name is similar', () => {
    expect(nearest('delete', names)).to.equal(undefined);
    expect(nearest('', names)).to.equal(undefined);
    expect(didYouMean('x', names)).to.equal('');
  });
});
