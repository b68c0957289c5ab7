import { expectDifferent, expectEqual } from '@chapter/domain/testing';
import { expect } from 'chai';

describe('expectEqual', () => {
  it('accepts values that are deeply equal, and rejects values that differ, also without enumerable keys', () => {
    const made = () => ({ a: [1, null, { b: 'c' }], at: new Date(0), none: Number.NaN });
    expectEqual(made(), made());
    expect(() => expectDifferent(made(), made())).to.throw(/ again$/);
    for (const [one, other] of [
      [{ a: 1 }, { a: 1, b: undefined }],
      [[1, 2].toReversed(), [1, 2]],
      [[], {}],
      [new Date(0), new Date(1)],
      [new Date(0), {}],
      [new Map([[1, 2]]), new Map([[1, 3]])],
      [/a/, /b/],
    ]) {
      expect(() => expectEqual(one, other)).to.throw(/^it is /);
      expectDifferent(one, other);
    }
  });
});
