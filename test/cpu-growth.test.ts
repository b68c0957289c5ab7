import { expect } from 'chai';
import { cpuGrowth } from '../test-support/cpu-growth.ts';

describe('The growth of CPU time', () => {
  // Tests of bounded work accept at most 3 for twice the input.
  it('of quadratic work on twice the input is more than 3, also if it is short or awaited', async () => {
    const work = async (steps: number): Promise<number> => {
      await Promise.resolve();
      let sum = 0;
      for (let step = 0; step < steps; step++) sum = (sum * 31 + step) % 1_000_003;
      return sum;
    };
    for (let time = 0; time < 100; time++) await work(10_000);
    for (const size of [50, 300]) {
      const measure = () =>
        cpuGrowth(
          () => work(size ** 2),
          () => work((2 * size) ** 2),
        );
      // Other work on the machine can spoil a measurement.
      let growth = await measure();
      for (let again = 0; again < 9 && growth <= 3; again += 1) growth = await measure();
      expect(growth).to.be.greaterThan(3);
    }
  });
});
