import { expect } from 'chai';
import { systemClock } from '../../src/system/clock-and-ids.ts';

describe('The clock', () => {
  it('returns the present time in each call', async () => {
    const before = new Date().toISOString();
    const first = systemClock.now();
    expect(first >= before).to.equal(true);
    while (systemClock.now() === first) await new Promise(setImmediate);
    expect(systemClock.now() > first).to.equal(true);
  });
});
