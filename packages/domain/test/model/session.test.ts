import { storedUserAgent } from '@chapter/domain/ports';
import { expect } from 'chai';

describe('The user agent of a session', () => {
  it('is stored unchanged', () => {
    expect(storedUserAgent('Mozilla/5.0 (X11; Linux x86_64)')).to.equal('Mozilla/5.0 (X11; Linux x86_64)');
  });

  it('is cut to 200 code points, never within one', () => {
    expect(storedUserAgent('x'.repeat(200))).to.equal('x'.repeat(200));
    expect(storedUserAgent('x'.repeat(201))).to.equal('x'.repeat(200));
    expect(storedUserAgent('😀'.repeat(300))).to.equal('😀'.repeat(200));
    expect(storedUserAgent(`x${'😀'.repeat(300)}`)).to.equal(`x${'😀'.repeat(199)}`);
  });

  it('is null if absent or empty', () => {
    expect([undefined, null, ''].map(storedUserAgent)).to.deep.equal([null, null, null]);
  });

  it('contains neither control characters nor lone surrogates', () => {
    expect(storedUserAgent('a\0b\u001b[2Jc\u009bd\t\ud800')).to.equal('a\uFFFDb\uFFFD[2Jc\uFFFDd\uFFFD\uFFFD');
  });
});
