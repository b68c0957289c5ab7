import { listRules, readSearch } from '@chapter/domain/ports';
import { expect } from 'chai';

const codeOf = (text: string) => {
  const found = readSearch(text);
  return 'fault' in found ? found.fault.code : 'valid';
};

describe('The words of a search', () => {
  it('are folded, composed, and without duplicates', () => {
    expect(readSearch(' Ada  LOVELACE\tada A\u0308rger ')).to.deep.equal({ value: ['ada', 'lovelace', 'ärger'] });
    expect(readSearch('   ')).to.deep.equal({ value: [] });
  });

  it('may be as many and as long as the rules allow', () => {
    const { maxSearchLength, maxWords } = listRules;
    const words = Array.from({ length: maxWords }, (_, at) => `w${at}`).join(' ');
    expect([codeOf(words), codeOf(`${words} more`)]).to.deep.equal(['valid', 'too_long']);
    expect([codeOf('x'.repeat(maxSearchLength)), codeOf('x'.repeat(maxSearchLength + 1))]).to.deep.equal([
      'valid',
      'too_long',
    ]);
    expect(codeOf('x'.repeat(100_000))).to.equal('too_long');
  });

  it('contain no invisible characters', () => {
    for (const text of ['a\0b', 'a\u200bb', '\ud800']) expect(codeOf(text)).to.equal('invalid_format');
  });
});
