import { expectDifferent, expectEqual } from '@chapter/domain/testing';
import { expect } from 'chai';

describe('expectEqual', () => {
  const equal: readonly (readonly [unknown, unknown])[] = [
    [{ a: [1, null, { b: 'c' }] }, { a: [1, null, { b: 'c' }] }],
    [{ a: 1 }, Object.assign(Object.create(null), { a: 1 })],
    [Number.NaN, Number.NaN],
    [new Date(0), new Date(0)],
    [{ at: new Date(Number.NaN) }, { at: new Date(Number.NaN) }],
  ];
  const different: readonly (readonly [unknown, unknown])[] = [
    [{ a: 1 }, { a: 1, b: undefined }],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [{ at: new Date(0) }, { at: new Date(1) }],
    [new Date(0), {}],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Map([[1, 2]]), new Map([[1, 3]])],
    [new Set([1]), new Set([2])],
    [/a/, /b/],
  ];

  it('accepts values that are deeply equal', () => {
    for (const [one, other] of equal) {
      expect(() => expectEqual(one, other)).not.to.throw();
      expect(() => expectDifferent(one, other)).to.throw(/ again$/);
    }
  });

  it('rejects values that differ, also dates and other objects without keys', () => {
    for (const [one, other] of different) {
      expect(() => expectEqual(one, other), String(one)).to.throw(/^it is /);
      expect(() => expectDifferent(one, other), String(one)).not.to.throw();
    }
  });
});
