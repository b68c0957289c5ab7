import { compareCodePoints } from '@chapter/domain';
import { expect } from 'chai';
import { afterPrefix } from '../../src/lists/conditions.ts';

describe('afterPrefix', () => {
  const last = String.fromCodePoint(0x10ffff);

  it('gives the next text by code point that does not begin with the prefix', () => {
    expect(afterPrefix('ab')).to.equal('ac');
    expect(afterPrefix('aé')).to.equal('aê');
    expect(afterPrefix('a😀')).to.equal('a😁');
  });

  it('passes over surrogates, which are no characters', () => {
    expect(afterPrefix('\uD7FF')).to.equal('\uE000');
  });

  it('goes back to the character before where the last cannot go on', () => {
    expect(afterPrefix(`a${last}${last}`)).to.equal('b');
    expect(compareCodePoints(`a${last}z`, 'b')).to.be.below(0);
  });

  it('gives what is behind every stored text where no text comes behind', () => {
    expect(new Set([afterPrefix(''), afterPrefix(last)]).size).to.equal(1);
    expect(compareCodePoints(last.repeat(2048), afterPrefix(''))).to.be.below(0);
  });
});
