import { expect } from 'chai';
import { didYouMean } from '../../src/text/did-you-mean.ts';

describe('A suggestion', () => {
  it('names the nearest candidate', () => {
    expect(didYouMean('craete', ['list', 'create'])).to.equal('; did you mean create?');
  });

  it('is empty if no candidate is similar', () => {
    expect(didYouMean('delete', ['list', 'create'])).to.equal('');
  });
});
