import { expect } from 'chai';
import * as fc from 'fast-check';
import { HttpError } from '../../src/errors/problem.ts';
import { parseJson } from '../../src/requests/read-json.ts';

const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);
const duplicatesOf = (text: string) => [...parseJson(text).duplicates.keys()];
const isRefused = (text: string, detail?: string) => {
  expect(() => parseJson(text), text.slice(0, 40))
    .to.throw(HttpError, detail ?? '')
    .with.property('code', 'malformed_json');
};

describe('JSON', () => {
  const deep = 'the body is nested more than 32 levels deep';

  it('may have 32 levels of arrays and objects', () => {
    expect(parseJson(nested('[', ']', 32)).value).to.be.an('array');
    expect(parseJson(`${'{"a":'.repeat(31)}{}${'}'.repeat(31)}`).value).to.be.an('object');
    expect(parseJson(`[${nested('[', ']', 31)},${nested('[', ']', 31)}]`).value).to.have.lengthOf(2);
    isRefused(nested('[', ']', 33), deep);
    isRefused(`${'{"a":'.repeat(32)}[]${'}'.repeat(32)}`, deep);
    isRefused(`[${nested('[', ']', 31)},${nested('[', ']', 32)}]`, deep);
  });

  it('may have more brackets inside strings', () => {
    expect(parseJson(`["${'['.repeat(1000)}"]`).value).to.deep.equal(['['.repeat(1000)]);
    expect(parseJson(`["\\"${'['.repeat(1000)}"]`).value).to.deep.equal([`"${'['.repeat(1000)}`]);
  });

  it('is rejected at any depth without exhausting the stack', () => {
    isRefused(nested('[', ']', 32_000), deep);
    isRefused(`${'{"":'.repeat(13_000)}1${'}'.repeat(13_000)}`, deep);
    isRefused('['.repeat(64_000));
  });

  const duplicates: [string, string[]][] = [
    ['{"a":1,"b":2}', []],
    ['{"a":{"a":1},"b":{"a":2}}', []],
    ['[{"a":1},{"a":2}]', []],
    ['{"a":["a","a"],"A":1}', []],
    ['{"a":1,"a":1}', ['a']],
    ['{"a":1,"b":2,"a":3,"b":4,"a":5}', ['a', 'b']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"":1,"":2}', ['']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"a":{"x":1,"x":2}}', ['a']],
    ['{"b":1,"a":[{},{"y":{"x":1,"z":3,"x":2}}],"c":{"x":1}}', ['a']],
    ['{"a":{"x":{"y":1},"x":2},"b":{"x":1}}', ['a']],
  ];
  for (const [text, expected] of duplicates) {
    it(`has the duplicates ${JSON.stringify(expected)} in ${text}`, () =>
      expect(duplicatesOf(text)).to.deep.equal(expected));
  }

  it('distinguishes a duplicate member from a duplicate name in its value', () => {
    const { duplicates: found } = parseJson('{"a":1,"a":{"x":1,"x":2},"b":{"x":1,"x":2},"b":1}');
    expect([...found]).to.deep.equal([
      ['a', 'appears more than once'],
      ['b', 'contains a name more than once'],
    ]);
  });

  it('reports at most 50 duplicate names', () => {
    const members = Array.from({ length: 1000 }, (_, at) => `"f${at}":1,"f${at}":2`).join(',');
    expect(duplicatesOf(`{${members}}`)).to.have.lengthOf(50);
  });

  it('is accepted exactly if JSON.parse accepts it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        const { value, duplicates: found } = parseJson(text);
        expect(value).to.deep.equal(JSON.parse(text));
        expect(found.size).to.equal(0);
      }),
    );
    for (const text of ['', ' ', '{}{}', '[1,]', '{"a":1,}', '// x\n{}', "{'a':1}", 'NaN', '\ufeff{}', '"\n"']) {
      isRefused(text);
    }
  });

  it('reports exactly the duplicate names of random objects', () => {
    const names = fc.oneof(fc.constantFrom('a', 'b', '__proto__'), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.jsonValue({ maxDepth: 3 }))), (members) => {
        const text = members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(' ,\n');
        const all = members.map(([name]) => name);
        const twice = all.filter((name, at) => all.indexOf(name) !== at);
        expect(new Set(duplicatesOf(`{${text}}`))).to.deep.equal(new Set(twice));
      }),
    );
  });
});
