import { codePointLength, foldCase, isVisibleText, normalizeText } from '@chapter/domain/ports';
import { compareCodePoints } from '@chapter/domain/testing';
import { expect } from 'chai';

describe('Text', () => {
  it('is stored in NFC, trimmed', () => {
    expect(normalizeText(' e\u0301 \n')).to.equal('\u00e9');
  });

  it('has its length counted in code points', () => {
    expect(codePointLength('a😀b')).to.equal(3);
  });

  it('is compared in Unicode lower case, with the final sigma as a usual sigma', () => {
    expect(foldCase('ÄΟΔΟΣ')).to.equal('äοδοσ');
    expect(foldCase('Σ')).to.equal(foldCase('ς'));
  });

  for (const [what, character] of Object.entries({
    'a control character': '\u0007',
    'a line separator': '\u2028',
    'a zero-width space': '\u200b',
    'a zero-width no-break space': '\ufeff',
    'a right-to-left override': '\u202e',
    'a soft hyphen': '\u00ad',
    'a grapheme joiner': '\u034f',
    'a filler': '\u3164',
    'an annotation mark': '\ufff9',
    'a tag': '\u{e0041}',
    'an isolate': '\u2066',
    'a lone surrogate': '\ud800',
  })) {
    it(`is rejected if it contains ${what}`, () => {
      expect(isVisibleText(`a${character}b`)).to.equal(false);
    });
  }

  it('is accepted with accents, emoji or other scripts', () => {
    expect(isVisibleText('Żółw 😀 名前 葛\u{e0100} ❤\ufe0f اسم')).to.equal(true);
  });

  it('is ordered by code point, not by UTF-16 unit', () => {
    const byUnit = ['\u{1f600}', '\uff5e', 'b', 'a', ''].toSorted();
    expect(byUnit.indexOf('\u{1f600}')).to.be.lessThan(byUnit.indexOf('\uff5e'));
    expect(byUnit.toSorted(compareCodePoints)).to.deep.equal(['', 'a', 'b', '\uff5e', '\u{1f600}']);
    expect(compareCodePoints('a', 'ab')).to.be.lessThan(0);
    expect(compareCodePoints('ab', 'ab')).to.equal(0);
  });
});
