import { expect } from 'chai';
import { nearest } from '../../src/names/index.ts';

describe('The nearest name', () => {
  const names = ['create', 'list', 'generate', 'rotate', 'divisionId'] as const;

  for (const [text, meant] of [
    ['craete', 'create'],
    ['LIST', 'list'],
    ['lst', 'list'],
    ['rotates', 'rotate'],
    ['genrate', 'generate'],
    ['lits', 'list'],
    ['divisionid', 'divisionId'],
  ] as const) {
    it(`to ${text} is ${meant}`, () => expect(nearest(text, names)).to.equal(meant));
  }

  it('is undefined if no name is similar', () => {
    for (const text of ['delete', 'x', '']) expect(nearest(text, names), text).to.equal(undefined);
  });
});
