import { isOrder } from '../../test-support/lists/page-kinds.ts';
import { list, table, verdict } from '../report/markdown.ts';
import { format } from '../report/numbers.ts';
import type { CheckedPlans } from './check-plans.ts';
import { isSummarized } from './chosen-kinds.ts';
import type { StorageCost } from './index-costs.ts';
import type { MeasuredPage } from './measure-pages.ts';

/** The results of a run. Pages have a duration for each of `sizes`, or of `divisionCounts`. */
export interface Results {
  /** Lines about time, machine, versions and conditions. */
  readonly conditions: readonly string[];
  readonly sizes: readonly number[];
  readonly usual: readonly MeasuredPage[];
  /** Some pages before the first vacuum, and after many other shapes. */
  readonly unvacuumed: readonly MeasuredPage[];
  readonly afterOtherShapes: readonly MeasuredPage[];
  readonly divisionCounts: readonly number[];
  readonly ofDivisions: readonly MeasuredPage[];
  readonly plans: CheckedPlans;
  /** The blocks that were marked as visible to all transactions before the first vacuum. */
  readonly visibleBlocks: number;
  /** How many other shapes were read, and how many statements the connection then had prepared. */
  readonly otherShapes: { readonly read: number; readonly prepared: number };
  /** What the table of users and its indexes cost with a number of members. */
  readonly storage: { readonly members: number; readonly costs: readonly StorageCost[] };
}

const NO_VALUE = { p50: Number.NaN, isRefused: false };
const cell = ({ measured }: MeasuredPage, at: number): string => {
  const { p50, isRefused } = measured[at] ?? NO_VALUE;
  return isRefused ? `422 after ${format(p50)}` : format(p50);
};
const named = (count: number): string => count.toLocaleString('en');

/** Returns a row with the longest duration of some pages for each size; none without pages. */
const slowest = (which: string, rows: readonly MeasuredPage[]): readonly MeasuredPage[] =>
  rows.slice(0, 1).map(({ kind, measured }) => ({
    kind: { ...kind, query: '', about: `the slowest of ${rows.length}: ${which}` },
    measured: measured.map((_, at) => ({
      p50: Math.max(...rows.map((row) => row.measured[at]?.p50 ?? 0)),
      isRefused: rows.some((row) => row.measured[at]?.isRefused),
    })),
  }));

/** Formats the durations of pages. Those in an order of one field share a line for each depth. */
const pagesTable = (sizes: readonly number[], rows: readonly MeasuredPage[]): string => {
  const orders = (['first page', 'page at 90 %'] as const).flatMap((depth) =>
    slowest(
      `${depth}, in an order of one field`,
      rows.filter(({ kind }) => kind.group === depth),
    ),
  );
  return table(
    ['page', '', ...sizes.map(named)],
    [...orders, ...rows.filter(({ kind }) => !isOrder(kind.group))].map((row) => {
      const { query, about } = row.kind;
      return [query && `\`${query}\``, about].concat(sizes.map((_, at) => cell(row, at)));
    }),
  );
};

const summaryTable = (sizes: readonly number[], rows: readonly MeasuredPage[]): string => {
  const others = rows.filter(({ kind }) => !isOrder(kind.group) && !isSummarized(kind));
  const shown = rows.filter((row) => !others.includes(row));
  return pagesTable(sizes, [...shown, ...slowest('other pages', others)]);
};

const conditionsTable = ({ sizes, usual, afterOtherShapes, unvacuumed }: Results): string => {
  const shown = [1, sizes.length - 1];
  const head = shown.flatMap((at) => [`${named(sizes[at] ?? 0)}: usual`, 'after other shapes', 'before vacuum']);
  const lines = unvacuumed.map((row, line) => {
    const same = usual.find(({ kind }) => kind.query === row.kind.query && kind.about === row.kind.about);
    const conditions = [same, afterOtherShapes[line], row].flatMap((one) => one ?? []);
    return [`\`${row.kind.query}\``, ...shown.flatMap((at) => conditions.map((one) => cell(one, at)))];
  });
  return table(['page', ...head], lines);
};

const indexTable = ({ plans, storage }: Results): string => {
  const lines = storage.costs.map(({ name, isIndex, bytes, logBytesPerRow, millisecondsPerRow }) => {
    const readers = [...(plans.readersOf.get(name) ?? [])];
    const kinds = isIndex ? [String(readers.length), readers[0] ?? ''] : ['', ''];
    return [name, ...kinds, format(bytes / 1e6), logBytesPerRow.toFixed(0), format(millisecondsPerRow * 10_000)];
  });
  return table(['rows or index', 'kinds of page', 'such as', 'MB', 'log, bytes per row', 'ms per 10,000 rows'], lines);
};

const goal = (pages: string, goalMs: number, found: readonly MeasuredPage['measured'][number][]): string => {
  const max = Math.max(...found.map(({ p50, isRefused }) => (isRefused ? Number.POSITIVE_INFINITY : p50)));
  return `${pages}: at most ${format(max)} ms (goal ≤ ${goalMs} ms; reached: ${verdict(max <= goalMs)})`;
};

const goals = ({ sizes, usual }: Results): readonly string[] => {
  const small = usual.flatMap(({ measured }) => measured.filter((_, at) => (sizes[at] ?? 0) <= 10_000));
  const pages = usual.filter(({ kind }) => !kind.query.includes('count=true'));
  const large = pages.flatMap(({ measured }) => measured.slice(-1)).filter(({ isRefused }) => !isRefused);
  return [
    goal('pages and counts in divisions of up to 10,000 members, none of them refused', 30, small),
    goal('pages in the largest division, without those that are refused', 150, large),
  ];
};

const planText = ({ pages, exceeded }: CheckedPlans): string => {
  const limits = 'the limits of rows read, rows sorted and blocks (`test-support/lists/plan-limits.ts`)';
  if (exceeded.length === 0) return `The plans of all ${pages} pages stay within ${limits}.`;
  return `These plans exceed ${limits}:\n\n${list(exceeded)}`;
};

/** Formats the results in Markdown: all durations, and a summary. */
export const listReports = (results: Results): { readonly all: string; readonly summary: string } => {
  const { conditions, sizes, usual, divisionCounts, ofDivisions, plans, visibleBlocks, otherShapes, storage } = results;
  return {
    all: [
      list(conditions),
      pagesTable(sizes, usual),
      'Lists of divisions, by the number of divisions:',
      pagesTable(divisionCounts, ofDivisions),
    ].join('\n\n'),
    summary: [
      list([...conditions, ...goals(results)]),
      planText(plans),
      summaryTable(sizes, usual),
      `Before the first vacuum (${visibleBlocks} blocks of users were marked as visible to all), and after ${otherShapes.read} other shapes were read twice on the same connection, which then had ${otherShapes.prepared} prepared statements. A connection reads 1,000 ÷ ms pages per second:`,
      conditionsTable(results),
      `The size of the indexes of users with ${named(storage.members)} members in divisions of 100, and the kinds of page that read each. The last columns are what it adds to writing a row: bytes of the write-ahead log (without full-page images), and time.`,
      indexTable(results),
    ].join('\n\n'),
  };
};
