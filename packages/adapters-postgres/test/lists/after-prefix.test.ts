import { compareCodePoints } from '@chapter/domain/testing';
import { expect } from 'chai';
import { afterPrefix } from '../../src/lists/conditions.ts';

describe('afterPrefix', () => {
  const last = String.fromCodePoint(0x10ffff);

  it('returns the next text by code point that does not start with the prefix', () => {
    expect(afterPrefix('ab')).to.equal('ac');
    expect(afterPrefix('aé')).to.equal('aê');
    expect(afterPrefix('a😀')).to.equal('a😁');
  });

  it('skips surrogates, which are not characters', () => {
    expect(afterPrefix('\uD7FF')).to.equal('\uE000');
  });

  it('increments the previous character if the last is the highest code point', () => {
    expect(afterPrefix(`a${last}${last}`)).to.equal('b');
    expect(compareCodePoints(`a${last}z`, 'b')).to.be.below(0);
  });

  it('returns a text after all stored texts if the prefix has no next text', () => {
    expect(new Set([afterPrefix(''), afterPrefix(last)]).size).to.equal(1);
    expect(compareCodePoints(last.repeat(2048), afterPrefix(''))).to.be.below(0);
  });
});
