import { storedUserAgent } from '@chapter/domain';
import { expect } from 'chai';

describe('The user agent of a session', () => {
  it('is what was sent', () => {
    expect(storedUserAgent('Mozilla/5.0 (X11; Linux x86_64)')).to.equal('Mozilla/5.0 (X11; Linux x86_64)');
  });

  it('is cut to 200 code points, and no code point is cut in half', () => {
    expect(storedUserAgent('x'.repeat(200))).to.equal('x'.repeat(200));
    expect(storedUserAgent('x'.repeat(201))).to.equal('x'.repeat(200));
    expect(storedUserAgent('😀'.repeat(300))).to.equal('😀'.repeat(200));
    expect(storedUserAgent(`x${'😀'.repeat(300)}`)).to.equal(`x${'😀'.repeat(199)}`);
  });

  it('is null where none or an empty one was sent', () => {
    expect([undefined, null, ''].map(storedUserAgent)).to.deep.equal([null, null, null]);
  });

  it('contains no control characters and no lone surrogates', () => {
    expect(storedUserAgent('a\0b\u001b[2Jc\u009bd\t\ud800')).to.equal('a\uFFFDb\uFFFD[2Jc\uFFFDd\uFFFD\uFFFD');
  });
});
