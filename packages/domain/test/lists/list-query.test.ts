import { listQuery } from '@chapter/domain';
import { expect } from 'chai';

describe('A query of a list', () => {
  it('selects everything in the order of ids with the maximum page size by default', () => {
    expect(listQuery({})).to.deep.equal({
      filters: [],
      words: [],
      searched: [],
      order: [{ field: 'id', descending: false }],
      size: 100,
      position: null,
      counted: false,
    });
  });

  it('takes an order by names, prefixed with a minus for descending, and completes it by the id', () => {
    expect(listQuery<'name' | 'logo'>({ order: ['-name', 'logo'] }).order).to.deep.equal([
      { field: 'name', descending: true },
      { field: 'logo', descending: false },
      { field: 'id', descending: false },
    ]);
    expect(listQuery<'name'>({ order: ['-name'] }).order.at(-1)).to.deep.equal({ field: 'id', descending: true });
    expect(listQuery<'name'>({ order: ['-id', 'name'] }).order).to.deep.equal([{ field: 'id', descending: true }]);
  });

  it('keeps every other part unchanged', () => {
    const position = { side: 'before', inclusive: true, values: ['a', 'b'] } as const;
    const parts = {
      filters: [{ field: 'name', operator: 'eq', value: 'north' }],
      words: ['o'],
      searched: ['name'],
      size: 7,
      position,
      counted: true,
    } as const;
    expect(listQuery<'name'>(parts)).to.include(parts);
  });
});
