import { expect } from 'chai';
import { areaUnderCurve, quantile } from '../logins/told-apart.ts';

describe('areaUnderCurve', () => {
  it('is a half where two samples are alike, and 0 or 1 where they have nothing in common', () => {
    expect(areaUnderCurve([1, 2, 3], [1, 2, 3])).to.equal(0.5);
    expect(areaUnderCurve([1, 2], [3, 4])).to.equal(1);
    expect(areaUnderCurve([3, 4], [1, 2])).to.equal(0);
    expect(areaUnderCurve([5, 5], [5, 5])).to.equal(0.5);
    expect(areaUnderCurve([1, 3], [2, 4])).to.equal(0.75);
  });

  it('is no number where there is nothing', () => expect(areaUnderCurve([], [1])).to.be.NaN);
});

describe('quantile', () => {
  it('is the value of the nearest rank, in whatever order they come', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect([0, 0.5, 0.99, 1].map((part) => quantile(hundred, part))).to.deep.equal([1, 50, 99, 100]);
    expect(quantile([7], 0.99)).to.equal(7);
    expect(quantile([], 0.5)).to.be.NaN;
  });
});
