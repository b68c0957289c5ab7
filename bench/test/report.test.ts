import { expect } from 'chai';
import { kindNamed } from '../kinds.ts';
import type { Measurement } from '../measure/measure.ts';
import { fixed, median, quantileOf, ratioOf, shown } from '../report/numbers.ts';
import { report } from '../report/report.ts';
import { summarize } from '../report/summary.ts';
import { table } from '../report/table.ts';
import { readSettings } from '../settings.ts';

const measured = (requests: number, cpu: number, errors = 0): Measurement => ({
  requests,
  seconds: 5,
  p50: 1.234,
  p99: 12.34,
  errors,
  serverCpu: cpu,
  databaseCpu: cpu,
  memory: 123.4,
});

const summaryOf = (...rounds: readonly [floor: Measurement, service: Measurement][]) =>
  summarize({ kind: kindNamed('read a user'), rounds: rounds.map(([floor, service]) => ({ floor, service })) });

describe('the report of the bench', () => {
  it('compares what followed each other, and takes the median of that', () => {
    const summary = summaryOf(
      [measured(10_000, 1), measured(6000, 1)],
      // A machine that was busy elsewhere for a round is slow for both.
      [measured(1000, 1), measured(700, 1)],
      [measured(20_000, 1), measured(16_000, 1)],
    );
    expect(summary.throughput).to.be.closeTo(0.7, 1e-9);
    expect(summary.cpu).to.be.closeTo(1 / 0.7, 1e-9);
    expect(summary.service.perSecond).to.equal(1200);
  });

  it('gives CPU for 1,000 requests, over all rounds together', () => {
    const { floor } = summaryOf([measured(1000, 2), measured(1000, 2)], [measured(3000, 2), measured(1000, 2)]);
    expect(floor.serverCpu).to.equal(1);
    expect(floor.databaseCpu).to.equal(1);
  });

  it('says of each goal whether it was reached', () => {
    const text = report({
      circumstances: ['somewhere'],
      summaries: [summaryOf([measured(10_000, 1), measured(6000, 1)])],
      starts: { floor: 300, service: 1600.4 },
    });
    expect(text).to.match(/\| read a user \| +0\.60 \| ≥ 0\.60 \| yes +\| +1\.67 \| ≤ 1\.4 \| \*\*no\*\* +\|/);
    expect(text).to.include('service 1600 ms, floor 300 ms (goal < 1,500 ms; reached: **no**)');
  });

  it('compares the deep page with the first one over all turns, and says how sure that is', () => {
    const load = (perSecond: number, errors = 0) => measured(perSecond, 1, errors);
    const textOf = (errors: number, ...rates: readonly [first: number, deep: number][]) => {
      const turns = rates.map(([first, deep], at) => ({
        first: load(first),
        deep: load(deep),
        manyEarly: load(first),
        manyDeep: load(deep / 2, at === 0 ? errors : 0),
      }));
      return report({ circumstances: [], summaries: [], depth: { turns, seconds: 1, pages: 20 } });
    };
    const rowsOf = (...args: Parameters<typeof textOf>) =>
      (textOf(...args).split('## Depth')[1] ?? '')
        .split('\n')
        .slice(6, 10)
        .map((line) => line.replaceAll(/ *\| */g, '|'));
    expect(textOf(0, [1000, 800], [2000, 1900])).to.include('in 2 turns at each, of 1 s');
    expect(rowsOf(0, [1000, 800], [2000, 1900])).to.deep.equal([
      '|one deep page|the first page|0.900|0.067|≥ 0.9|yes|1.184|0.088|0|',
      '|deep, 20 pages in turn|the first page|0.450|0.033|≥ 0.9|**no**|2.368|0.175|0|',
      '|at the beginning, 20 pages in turn|the first page|1.000|0.000|||1.000|0.000|0|',
      '|deep, 20 pages in turn|as many at the beginning|0.450|0.033|||2.368|0.175|0|',
    ]);
    const reached = (...args: Parameters<typeof textOf>) => rowsOf(...args).map((row) => row.split('|')[6]);
    expect(reached(0, [1000, 899], [1000, 899]).slice(0, 2)).to.deep.equal(['**no**', '**no**']);
    expect(reached(0, [1000, 1800]).slice(0, 2)).to.deep.equal(['yes', 'yes']);
    // The errors are those of many deep pages.
    expect(reached(1, [1000, 1800]).slice(0, 2)).to.deep.equal(['yes', '**no**']);
    expect(rowsOf(1, [1000, 1800]).map((row) => row.split('|').at(-2))).to.deep.equal(['0', '1', '0', '1']);
  });

  it('says whether two workers have processors enough to show what they can do', () => {
    const textOf = (two: number, busy: number, processors: number) =>
      report({ circumstances: [], summaries: [], workers: { one: 1000, two, busy, processors, errors: 0 } });
    expect(textOf(1700, 1.5, 4)).to.include('goal ≥ 1.6 where cores allow; reached: yes)');
    expect(textOf(1200, 1.5, 4)).to.include('goal ≥ 1.6 where cores allow; reached: **no**)');
    expect(textOf(1200, 1.6, 2))
      .to.include('reached: not to be shown here)')
      .and.include('room for 1.25 times as much');
    expect(textOf(1700, 1.6, 2)).to.include('reached: yes)');
  });

  it('lets nobody reach a goal by errors', () => {
    const failed = { ...measured(10_000, 1), errors: 1 };
    const text = report({
      circumstances: [],
      summaries: [summaryOf([measured(10_000, 1), failed])],
      halfLoad: [{ name: 'read', rate: 1, floor: { p50: 1, p99: 1 }, service: { p50: 1, p99: 1 }, errors: 2 }],
      workers: { one: 1000, two: 2000, busy: 1, processors: 4, errors: 3 },
      memory: { minutes: 10, early: 300, late: 300, samples: [300], errors: 4 },
    });
    expect(text).to.match(/\| read a user \| +1\.00 \| ≥ 0\.60 \| \*\*no\*\* +\| +1\.00 \| ≤ 1\.4 \| \*\*no\*\* +\|/);
    expect(text).to.match(/\| read +\|.*\| +2 \| +1\.00 \| +≤ 3 \| \*\*no\*\* +\|/);
    expect(text)
      .to.match(/3 errors; goal ≥ 1\.6.*reached: \*\*no\*\*/)
      .and.to.match(/4 errors \(goal: flat.*\*\*no\*\*/);
  });

  it('says whether memory is flat', () => {
    const textOf = (late: number) =>
      report({
        circumstances: [],
        summaries: [],
        memory: { minutes: 10, early: 300, late, samples: [300, late], errors: 0 },
      });
    expect(textOf(330)).to.include('reached: yes)');
    expect(textOf(331)).to.include('reached: **no**)');
  });

  it('puts numbers under each other, to the right', () => {
    expect(
      table(
        ['kind', 'n'],
        [
          ['read', '1'],
          ['list', '1,000'],
        ],
      ),
    ).to.equal('| kind |     n |\n| ---- | ----: |\n| read |     1 |\n| list | 1,000 |');
  });

  it('shows as many digits as a number is worth', () => {
    expect([12_345.6, 12.34, 1.234, Number.NaN].map(shown)).to.deep.equal(['12,346', '12.3', '1.23', '–']);
    expect(median([3, 1, 2])).to.equal(2);
    expect(median([1, 2])).to.equal(1.5);
  });

  it('knows the value below which a part of a counted sample lies', () => {
    const sample = [
      [30, 1],
      [10, 98],
      [20, 1],
    ] as const;
    expect([0, 0.5, 0.98, 0.99, 1].map((part) => quantileOf(sample, part))).to.deep.equal([10, 10, 10, 20, 30]);
    expect(quantileOf([], 0.5)).to.be.NaN;
  });

  it('knows how far a ratio may be off', () => {
    const { value, error } = ratioOf([
      [8, 10],
      [19, 20],
    ]);
    expect(value).to.equal(0.9);
    // Both are one away from nine tenths.
    expect(error).to.be.closeTo(Math.sqrt(2 / 1 / 2) / 15, 1e-9);
    // Neither where what is left over is nothing, nor where it is a rounding.
    expect([ratioOf([[1, 1]]), ratioOf([[1, 49]])].map((one) => fixed(one.error, 2))).to.deep.equal(['–', '–']);
  });
});

describe('the settings of the bench', () => {
  it('write RESULTS.md after a run of everything, and after no other', () => {
    expect(readSettings({}).output).to.equal('bench/RESULTS.md');
    expect(readSettings({ BENCH: 'short' }).output).to.equal(undefined);
    const asked = { KINDS: 'search', ROUNDS: '1', SECONDS: '1', CONNECTIONS: '8', MORE: 'off', MINUTES: '0' };
    for (const [name, value] of Object.entries({ ...asked, NODE_OPTIONS: '--cpu-prof' })) {
      expect(readSettings({ [`BENCH_${name}`]: value }).output, name).to.equal(undefined);
    }
    expect(readSettings({ BENCH_GENERATOR: 'wrk', BENCH_DATABASE_URL: 'x' }).output).to.equal('bench/RESULTS.md');
    expect(readSettings({ BENCH: 'short', BENCH_OUTPUT: 'x.md' }).output).to.equal('x.md');
  });

  it('name what is none of them', () => {
    expect(() => readSettings({ BENCH_KINDS: 'search;serach' })).to.throw(
      'BENCH_KINDS names no kind of request: serach',
    );
    expect(() => readSettings({ BENCH_GENERATOR: 'ab' })).to.throw(
      'BENCH_GENERATOR must be wrk or autocannon, and not ab',
    );
    expect(() => readSettings({ BENCH_ROUNDS: 'x' })).to.throw('BENCH_ROUNDS must be a number, and not x');
  });

  it('are those of the goals unless something else is asked for', () => {
    const { size, connections, scrypt } = readSettings({});
    expect(size).to.deep.equal({ divisions: 1000, members: 100, deep: 100_000 });
    expect(connections).to.equal(32);
    expect(scrypt).to.deep.equal({ logN: 14, p: 5 });
    expect(readSettings({}).minutes).to.equal(10);
    expect(
      [{ BENCH: 'short' }, { BENCH_KINDS: 'search' }, { BENCH_MORE: 'off' }].map((set) => readSettings(set).minutes),
    ).to.deep.equal([0, 0, 0]);
  });
});
