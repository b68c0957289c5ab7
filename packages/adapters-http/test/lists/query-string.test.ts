import { expect } from 'chai';
import { parseParameters, parseQueryString } from '../../src/lists/query-string.ts';

const faults = (text: string) => parseQueryString(text).faults.map(({ wire, code }) => `${wire} ${code}`);

describe('A query string', () => {
  const good: [string, Record<string, string>][] = [
    ['', {}],
    ['a=1', { a: '1' }],
    ['a', { a: '' }],
    ['a=', { a: '' }],
    ['a=b=c', { a: 'b=c' }],
    ['a=1&&b=2&', { a: '1', b: '2' }],
    ['a=x+y%20z', { a: 'x y z' }],
    ['a%5Fb=%2B', { a_b: '+' }],
    ['a=%C3%A9', { a: 'é' }],
    ['a=e%CC%81', { a: 'e\u0301' }],
    ['__proto__=1', JSON.parse('{"__proto__":"1"}')],
  ];
  for (const [text, expected] of good) {
    it(`reads \`${text}\``, () => {
      const { parameters, faults: found } = parseQueryString(text);
      expect(Object.fromEntries(parameters)).to.deep.equal(expected);
      expect(found).to.deep.equal([]);
    });
  }

  it('joins the values of a repeated list by commas', () => {
    const { parameters, faults: found } = parseQueryString('a=1&b=2&%61=3,4&a=&c=%ZZ&c=5', (name) => name !== 'b');
    expect(Object.fromEntries(parameters)).to.deep.equal({ a: '1,3,4,', b: '2' });
    expect(found.map(({ code, wire }) => [wire, code])).to.deep.equal([['c', 'invalid_format']]);
  });

  const bad: [string, string[]][] = [
    ['a=1&a=2', ['a duplicate']],
    ['a=1&a=2&a=3', ['a duplicate']],
    ['a=1&%61=1', ['a duplicate']],
    ['=1', [' unknown_parameter']],
    ['=', [' unknown_parameter']],
    ['a=%ZZ', ['a invalid_format']],
    ['a=%', ['a invalid_format']],
    ['%ZZ=1', ['%ZZ invalid_format']],
    ['a=%FF', ['a invalid_format']],
    ['a=%C3', ['a invalid_format']],
    ['a=%ED%A0%80', ['a invalid_format']],
    ['a=%C0%80', ['a invalid_format']],
    ['a=\u00e9', ['a invalid_format']],
    ['a=%ZZ&b=%FF&=', ['a invalid_format', 'b invalid_format', ' unknown_parameter']],
  ];
  for (const [text, expected] of bad) {
    it(`rejects \`${text}\``, () => expect(faults(text)).to.deep.equal(expected));
  }

  it('reports at most 50 faults', () => {
    const text = Array.from({ length: 2000 }, (_, at) => `a${at}=%ZZ`).join('&');
    expect(faults(text)).to.have.lengthOf(50);
    expect(parseParameters(text.replaceAll('%ZZ', '1'), []).faults).to.have.lengthOf(50);
    expect(parseParameters(`x=%ZZ&${text.replaceAll('%ZZ', '1')}`, []).faults).to.have.lengthOf(50);
  });

  it('decodes nothing after the fiftieth fault, and no value of a repeated parameter', () => {
    const original = globalThis.decodeURIComponent;
    let calls = 0;
    globalThis.decodeURIComponent = (text) => {
      calls += 1;
      return original(text);
    };
    try {
      parseQueryString(Array.from({ length: 2000 }, (_, at) => `a${at}=%ZZ`).join('&'));
      expect(calls).to.equal(100);
      parseQueryString('a=%ZZ&a=%ZZ&a=%ZZ');
      expect(calls).to.equal(104);
    } finally {
      globalThis.decodeURIComponent = original;
    }
  });

  it('shows at most 100 characters of a name', () => {
    const [long, shown] = ['x'.repeat(20_000), 'x'.repeat(100)];
    expect(parseParameters(`${long}=1`, []).faults).to.deep.equal([
      { field: '', wire: shown, code: 'unknown_parameter', detail: `unknown parameter \`${shown}\`` },
    ]);
    expect(faults(`${long}%ZZ=1`)).to.deep.equal([`${shown} invalid_format`]);
  });
});
