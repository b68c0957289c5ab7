import { expect } from 'chai';
import { corpusReport } from '../corpus/report.ts';
import { reads } from '../kinds.ts';
import { listReports } from '../lists/report.ts';
import { areaUnderCurve } from '../logins/timing.ts';
import { report } from '../report/report.ts';
import { readSettings } from '../settings.ts';
import type { Measurement } from '../setup.ts';

const measured = (requests: number, cpu = 1, errors = 0): Measurement =>
  ({
    requests,
    seconds: 5,
    p50: 1,
    p99: 12.34,
    errors,
    serverCpu: cpu,
    databaseCpu: cpu,
    memory: 123.4,
  }) as Measurement;

const textOf = (...turns: readonly [baseline: Measurement, service: Measurement][]) => {
  const result = { kind: reads, turns: turns.map(([baseline, service]) => ({ baseline, service })) };
  return report({ conditions: ['somewhere'], greatestLoad: [result], start: { milliseconds: 1600.4 } });
};

describe('the report of the bench', () => {
  it('takes the median of the ratios of the turns, and compares it with the goal', () => {
    const slowMoment = [measured(1000), measured(700)] as const;
    const text = textOf([measured(10_000), measured(6000)], [...slowMoment], [measured(20_000), measured(16_000)]);
    expect(text).to.match(/\| read a user \| +0\.70 \| ≥ 0\.60 \| yes +\| +1\.43 \| ≤ 1\.4 \| \*\*no\*\* +\|/);
    expect(text).to.include('first response: 1600 ms (goal < 1,500 ms; reached: **no**)');
  });

  it('gives CPU for 1,000 requests, over all turns together', () => {
    const text = textOf([measured(1000, 2), measured(1000)], [measured(3000, 2), measured(1000)]);
    expect(text).to.match(/ baseline \| +400 \| +1\.00 \| +12\.3 \| +0 \| +1\.00 \| +1\.00 \| +123 \|/);
  });

  it('marks no goal as reached if there were errors', () => {
    const text = report({
      conditions: [],
      greatestLoad: [{ kind: reads, turns: [{ baseline: measured(1000), service: measured(1000, 1, 1) }] }],
      halfLoad: [{ name: 'read', rate: 1, baseline: { p50: 1, p99: 1 }, service: { p50: 1, p99: 1 }, errors: 2 }],
      workers: { one: 1000, two: 2000, processors: 4, errors: 3 },
      memory: { minutes: 10, early: 300, late: 300, max: 300, errors: 4 },
    });
    expect(text).to.match(/\| read a user \| +1\.00 \| ≥ 0\.60 \| \*\*no\*\* +\| +1\.00 \| ≤ 1\.4 \| \*\*no\*\* +\|/);
    expect(text).to.match(/\| read +\|.*\| +2 \| +1\.00 \| +≤ 3 \| \*\*no\*\* +\|/);
    expect(text).to.match(/3 errors; goal ≥ 1\.6.*reached: \*\*no\*\*/);
    expect(text).to.match(/4 errors\. Goal: at most a tenth more.*\*\*no\*\*/);
  });

  it('compares deep pages with the first one by the median of the pairs', () => {
    const turns = [
      { first: measured(1000), deep: measured(800) },
      { first: measured(2000), deep: measured(2000) },
    ];
    const depthOf = (some: typeof turns) => report({ conditions: [], depth: { turns: some, seconds: 1 } });
    expect(depthOf(turns)).to.include('2 pairs of loads of 1 s: throughput 0.900 (goal ≥ 0.9; reached: yes), CPU 1.');
    expect(depthOf(turns.slice(0, 1))).to.include(
      'throughput 0.800 (goal ≥ 0.9; reached: **no**), CPU 1.250, 0 errors',
    );
  });

  it('states whether two workers have enough processors, and whether memory is flat', () => {
    const workers = { one: 1000, two: 1200, errors: 0 };
    const memory = { minutes: 10, early: 300, late: 331, max: 331, errors: 0 };
    const text = report({ conditions: [], workers: { ...workers, processors: 4 }, memory });
    expect(text).to.include('where cores allow; reached: **no**)').and.to.include('in the last; reached: **no**.');
    expect(report({ conditions: [], workers: { ...workers, processors: 2 } })).to.include('too few processors');
  });
});

describe('the other reports', () => {
  it('list the ten hostile requests that hold the event loop the longest', () => {
    const requests = Array.from({ length: 12 }, (_, at) => {
      return { title: `request ${at}`, bytes: at, status: '422', longestMs: at + 40, totalMs: 60 };
    });
    const text = corpusReport(['somewhere'], requests);
    expect(text).to.include('12 requests').and.include('is 51.0 ms; at most 50 ms: **no**');
    expect(text.match(/request \d+ /g)).to.have.lengthOf(10);
  });

  it('show the slowest order of a group, which pages were refused, and the goals', () => {
    const page = (group: 'filters' | 'first page', query: string, ...medians: readonly number[]) => ({
      kind: { group, query, about: 'all' },
      measured: medians.map((p50) => ({ p50, isRefused: p50 > 90 })),
    });
    const compared = page('filters', 'is_active=true', 5, 6, 7);
    const cost = { name: 'an_index', isIndex: true, bytes: 2e6, logBytesPerRow: 200, millisecondsPerRow: 0.3 };
    const { summary, all } = listReports({
      conditions: ['somewhere'],
      sizes: [10, 10_000, 1_000_000],
      usual: [
        page('first page', 'ordering=a', 1, 1, 2),
        page('first page', 'ordering=b', 3, 3, 1),
        page('filters', 'c=1', 5, 31, 99),
        compared,
      ],
      unvacuumed: [page('filters', 'is_active=true', 5, 16, 17)],
      afterOtherShapes: [page('filters', 'is_active=true', 5, 26, 27)],
      divisionCounts: [],
      ofDivisions: [],
      plans: {
        pages: 4,
        exceeded: ['rows read: 2 instead of 1'],
        readersOf: new Map([['an_index', new Set(['`c=1`, all'])]]),
      },
      visibleBlocks: 0,
      otherShapes: { read: 300, prepared: 100 },
      storage: { members: 1000, costs: [cost] },
    });
    expect(all).to.match(/\| the slowest of 2: first page, in an order of one field \| +3\.00 \| +3\.00 \| +2\.00 \|/);
    expect(all).to.match(/\| `c=1` +\| all +\| +5\.00 \| +31\.0 \| 422 after 99\.0 \|/);
    expect(all).to.not.include('ordering=a');
    expect(summary).to.match(/^- rows read: 2 instead of 1$/m);
    expect(summary).to.include('at most 31.0 ms (goal ≤ 30 ms; reached: **no**)');
    expect(summary).to.include('at most 7.00 ms (goal ≤ 150 ms; reached: yes)');
    expect(summary).to.match(/\| the slowest of 2: other pages +\| +5\.00 \| +31\.0 \| 422 after 99\.0 \|/);
    expect(summary).to.match(/\| `is_active=true` \| +6\.00 \| +26\.0 \| +16\.0 \| +7\.00 \| +27\.0 \| +17\.0 \|/);
    expect(summary).to.match(/\| an_index +\| +1 \| `c=1`, all \| 2\.00 \| +200 \| +3,000 \|/);
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
    expect(readSettings({ PATH: 'x' })).to.include({ isComplete: true, connections: 32, rounds: 12, minutes: 10 });
    expect(readSettings({ BENCH: 'short' }).isComplete).to.equal(false);
    const { kinds, isComplete } = readSettings({ BENCH_KINDS: 'search' });
    expect([kinds.map(({ name }) => name), isComplete]).to.deep.equal([['search'], false]);
  });

  it('name an invalid value', () => {
    const typo = { BENCH_KINDS: 'search;serach' };
    expect(() => readSettings(typo)).to.throw('BENCH_KINDS: "serach" is not one of read a user;');
    expect(() => readSettings({ BENCH_ROUNDS: 'x' })).to.throw('BENCH_ROUNDS must be a positive number, not x');
  });
});
