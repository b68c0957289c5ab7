import { parseUuid } from '@chapter/domain';
import { expect } from 'chai';
import { systemClock, uuidIds } from '../../src/system/clock-and-ids.ts';

describe('The clock', () => {
  it('returns the time in UTC with milliseconds', () => {
    expect(systemClock.now()).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('returns the present time in each call', async () => {
    const before = new Date().toISOString();
    const first = systemClock.now();
    expect(first >= before).to.equal(true);
    while (systemClock.now() === first) await new Promise(setImmediate);
    expect(systemClock.now() > first).to.equal(true);
  });
});

describe('The ids', () => {
  const ids = Array.from({ length: 10_000 }, () => uuidIds.next());

  it('are UUIDs of version 7 in lower case', () => {
    expect(ids.every((id) => parseUuid(id) === id && id[14] === '7')).to.equal(true);
  });

  it('are unique and ascend in the order of their generation', () => {
    expect(ids.every((id, at) => at === 0 || (ids[at - 1] ?? '') < id)).to.equal(true);
  });
});
