import { parseUuid } from '@chapter/domain';
import { expect } from 'chai';
import { uuidIds } from '../../src/system/uuid-ids.ts';

describe('The ids', () => {
  const ids = Array.from({ length: 10_000 }, () => uuidIds.next());

  it('are UUIDs of version 7 in lower case', () => {
    expect(ids.every((id) => parseUuid(id) === id && id[14] === '7')).to.equal(true);
  });

  it('are all different, and in the order in which they were given', () => {
    expect(ids.every((id, at) => at === 0 || (ids[at - 1] ?? '') < id)).to.equal(true);
  });
});
