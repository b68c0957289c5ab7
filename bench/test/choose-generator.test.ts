import { expect } from 'chai';
import { autocannonLoad } from '../load/autocannon.ts';
import { chooseGenerator } from '../load/choose.ts';

const wrk = { ...autocannonLoad, name: 'wrk 4' };

describe('what makes the load', () => {
  it('is wrk where it is installed, unless the other is asked for', () => {
    expect(chooseGenerator({ generator: undefined, seconds: 3 }, wrk)).to.equal(wrk);
    expect(chooseGenerator({ generator: 'wrk', seconds: 3 }, wrk)).to.equal(wrk);
    expect(chooseGenerator({ generator: 'autocannon', seconds: 3 }, wrk)).to.equal(autocannonLoad);
    expect(chooseGenerator({ generator: undefined, seconds: 3 }, undefined)).to.equal(autocannonLoad);
  });

  it('is not taken for another where it is not installed', () => {
    expect(() => chooseGenerator({ generator: 'wrk', seconds: 3 }, undefined)).to.throw('wrk is not installed');
  });

  it('is asked for parts of a second only where it knows them', () => {
    expect(() => chooseGenerator({ generator: undefined, seconds: 0.3 }, wrk)).to.throw(
      'BENCH_SECONDS must be whole with wrk, and not 0.3',
    );
    expect(chooseGenerator({ generator: 'autocannon', seconds: 0.3 }, wrk)).to.equal(autocannonLoad);
    expect(chooseGenerator({ generator: undefined, seconds: 0.3 }, undefined)).to.equal(autocannonLoad);
  });
});
