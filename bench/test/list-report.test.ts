import { expect } from 'chai';
import { listReport, type Row } from '../lists/report.ts';

const row = (query: string, ...medians: readonly number[]): Row => ({
  way: 'one',
  group: 'filters',
  query,
  about: 'all',
  measured: medians.map((p50) => ({ p50, p99: p50 * 2 })),
});

describe('the report of the bench of lists', () => {
  const text = listReport(['somewhere'], [10, 1000], [row('a=1', 1, 1.5), row('b=2', 1, 1.51), row('c=3', 2, 1)]);

  it('holds the median in the largest database against that in the smallest', () => {
    expect(text).to.match(/\| `a=1` \| all \| +1\.00 \| 2\.00 \| +1\.50 \| 3\.00 \| +1\.50 \| yes +\|/);
    expect(text).to.match(/\| `b=2` \| all \| +1\.00 \| 2\.00 \| +1\.51 \| 3\.02 \| +1\.51 \| \*\*no\*\* \|/);
  });

  it('says how many stay within the goal, and names the worst', () => {
    expect(text).to.include(
      'Of 3 kinds of pages that are not to grow, 2 stay within 1.5; the highest ratio is 1.51 (`b=2`)',
    );
  });

  it('says how it was made', () => expect(text).to.match(/^- somewhere\n/));
});
