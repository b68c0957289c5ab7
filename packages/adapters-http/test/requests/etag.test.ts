import { expect } from 'chai';
import { entityTag, isKnown, revisionsOf } from '../../src/requests/etag.ts';

describe('If-Match', () => {
  const cases: [string | undefined, readonly string[] | undefined][] = [
    [undefined, undefined],
    ['*', undefined],
    ['"1.2"', ['1.2']],
    ['"1.2", "3"', ['1.2', '3']],
    [' "a,b" ,, "c"', ['a,b', 'c']],
    ['W/"1.2"', []],
    ['W/"1.2", "3"', ['3']],
    ['""', ['']],
    ['', []],
    ['1.2', []],
    ['"1.2', []],
    ['"1.2" "3"', []],
    ['"1.2", *', []],
  ];
  for (const [header, expected] of cases) {
    it(`\`${header}\` lets through ${JSON.stringify(expected) ?? 'everything'}`, () => {
      expect(revisionsOf(header)).to.deep.equal(expected);
    });
  }
});

describe('If-None-Match', () => {
  const tag = entityTag('1.2');
  const cases: [string | undefined, boolean][] = [
    [undefined, false],
    ['*', true],
    ['"1.2"', true],
    ['W/"1.2"', true],
    ['"0", "1.2"', true],
    ['"1"', false],
    ['1.2', false],
    ['', false],
  ];
  for (const [header, expected] of cases) {
    it(`\`${header}\` ${expected ? 'names' : 'does not name'} the tag`, () => {
      expect(isKnown(header, tag)).to.equal(expected);
    });
  }
});
