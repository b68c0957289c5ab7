import { expect } from 'chai';
import { kinds } from '../kinds.ts';
import { goalsOf, pagesTable, slowestOfGroups } from '../lists/pages.ts';
import { areaUnderCurve } from '../report/numbers.ts';
import { report } from '../report/report.ts';
import { isComplete, readSettings } from '../settings.ts';
import type { Measurement } from '../setup.ts';

const measured = (requests: number, cpu = 1, errors = 0) =>
  ({ requests, seconds: 5, p50: 1, p99: 12.34, errors, serverCpu: cpu, databaseCpu: cpu }) as Measurement;

const textOf = (connections: number, ...turns: readonly (readonly Measurement[])[]) => {
  const [kind] = kinds;
  if (!kind) throw new Error('there is no kind');
  const contests = [{ kind, connections, turns }];
  return report({ conditions: ['somewhere'], servers: ['baseline', 'service'], hasGoals: true, contests });
};

describe('the report of the bench', () => {
  it('shows the median of the ratios of the turns with the quartiles, and compares CPU with the goal', () => {
    const turns = [
      [measured(10_000), measured(6000)],
      [measured(1000), measured(700)],
      [measured(20_000), measured(16_000)],
    ];
    const ratios = String.raw`\| +1\.43 \(1\.34–1\.55\) \| +0\.70 \(0\.65–0\.75\) `;
    expect(textOf(32, ...turns)).to.match(
      new RegExp(String.raw`\| read a user \| +32 \| +200 \| +333 ${ratios}\| ≤ 1\.45 \| yes +\|`),
    );
    expect(textOf(8, ...turns)).to.match(new RegExp(String.raw`${ratios}\| +\| +\|$`, 'm'));
  });

  it('shows rates, latencies, errors and CPU of each server', () => {
    const text = textOf(1, [measured(1000, 2), measured(1000)]);
    expect(text).to.match(/ 1 \| baseline \| +200 \| +2,000 \| +2,000 \| +1\.00 \| +12\.3 \| +0 \|/);
  });

  it('marks no goal as reached if there were errors', () => {
    expect(textOf(32, [measured(1000), measured(1000, 1, 1)])).to.match(/\| ≤ 1\.45 \| \*\*no\*\* +\|/);
  });
});

describe('the report of lists', () => {
  const page = (group: 'filters' | 'first page', query: string, ...medians: readonly number[]) => ({
    kind: { group, query, about: 'all' },
    measured: medians.map((p50) => ({ p50, isRefused: p50 > 90 })),
  });
  const pages = [
    page('first page', 'o=a', 1, 1, 2),
    page('first page', 'o=b', 3, 3, 1),
    page('filters', 'c=1', 5, 31, 99),
  ];
  const sizes = [10, 10_000, 1_000_000];

  it('shows the slowest order, and which pages were refused', () => {
    const text = pagesTable(sizes, slowestOfGroups(pages));
    expect(text).to.match(/\| the slowest of 2: first page \| 3\.00 \| +3\.00 \| +2\.00 \|/);
    expect(text).to.match(/\| `c=1` +\| all +\| 5\.00 \| +31\.0 \| 422 after 99\.0 \|/);
  });

  it('compares the slowest pages with the goals', () => {
    const [small, large] = goalsOf(sizes, pages);
    expect(small).to.include('at most 31.0 ms (goal ≤ 30 ms; reached: **no**)');
    expect(large).to.include('at most 2.00 ms (goal ≤ 150 ms; reached: yes)');
  });
});

describe('the statistics of the bench', () => {
  it('are areas under the ROC curve', () => {
    expect(areaUnderCurve([1, 2, 3], [1, 2, 3])).to.equal(0.5);
    expect([areaUnderCurve([1, 2], [3, 4]), areaUnderCurve([1, 3], [2, 4])]).to.deep.equal([1, 0.75]);
  });
});

describe('the settings of the bench', () => {
  it('are complete only without variables', () => {
    const variables: NodeJS.ProcessEnv[] = [
      { PATH: 'x' },
      { BENCH: 'short' },
      { BENCH_KINDS: 'search', BENCH_CONNECTIONS: '2;3' },
    ] as const;
    expect(variables.map(isComplete)).to.deep.equal([true, false, false]);
    const settings = variables.map(readSettings);
    expect(settings.map(({ rounds }) => rounds)).to.deep.equal([6, 1, 6]);
    expect(settings.map(({ connections }) => connections.join())).to.deep.equal(['1,8,32,128', '1,8', '2,3']);
    expect(settings.at(-1)?.kinds.map(({ name }) => name)).to.deep.equal(['search']);
  });

  it('name an invalid value', () => {
    const typo = { BENCH_KINDS: 'search;serach' };
    expect(() => readSettings(typo)).to.throw('BENCH_KINDS: "serach" is not one of read a user;');
    expect(() => readSettings({ BENCH_ROUNDS: 'x' })).to.throw('BENCH_ROUNDS must be positive numbers, not x');
  });
});
