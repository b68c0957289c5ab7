import { expect } from 'chai';
import { cpuGrowth } from '../test-support/cpu-growth.ts';

const work = (steps: number): number => {
  let sum = 0;
  for (let step = 0; step < steps; step++) sum = (sum * 31 + step) % 1_000_003;
  return sum;
};

describe('The growth of CPU time', () => {
  // Runs the code before the measurement, so that it is compiled.
  before(() => {
    for (let time = 0; time < 100; time++) work(10_000);
  });

  it('of linear work on twice the input is at most 3', async () => {
    expect(
      await cpuGrowth(
        () => void work(200_000),
        () => void work(400_000),
      ),
    ).to.be.at.most(3);
  });

  it('of quadratic work on twice the input is more than 3', async () => {
    expect(
      await cpuGrowth(
        () => void work(300 ** 2),
        () => void work(600 ** 2),
      ),
    ).to.be.greaterThan(3);
  });

  it('counts work that is much shorter than one measurement, and awaited work', async () => {
    const later = async (steps: number) => {
      await Promise.resolve();
      return work(steps);
    };
    expect(
      await cpuGrowth(
        () => later(2000),
        () => later(16_000),
      ),
    ).to.be.greaterThan(3);
  });

  it('does not count idle time', async () => {
    const waited = performance.now();
    const growth = await cpuGrowth(
      () => void work(100_000),
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        work(100_000);
      },
    );
    expect(performance.now() - waited).to.be.greaterThan(5);
    expect(growth).to.be.lessThan(3);
  });
});
