import { expect } from 'chai';
import { systemClock } from '../../src/system/system-clock.ts';

describe('The clock', () => {
  it('tells the time in UTC with milliseconds', () => {
    expect(systemClock.now()).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});
