import { isOrder } from '../../test-support/lists/page-kinds.ts';
import { list, table, verdict } from '../report/markdown.ts';
import { format } from '../report/numbers.ts';
import type { CheckedPlans } from './check-plans.ts';
import type { MeasuredPage } from './measure-pages.ts';

/** An index of users, with the kinds of pages that read it. */
export interface IndexUse {
  readonly name: string;
  readonly bytes: number;
  readonly readers: readonly string[];
}

/** The results of a run. Pages have a duration for each of `sizes`, or of `divisionCounts`. */
export interface Results {
  /** Lines about time, machine, versions and conditions. */
  readonly conditions: readonly string[];
  readonly sizes: readonly number[];
  readonly pages: readonly MeasuredPage[];
  readonly divisionCounts: readonly number[];
  readonly divisionPages: readonly MeasuredPage[];
  readonly plans: CheckedPlans;
  readonly indexes: readonly IndexUse[];
}

type Duration = MeasuredPage['measured'][number];

/** The longest of several durations; refused, if any page was. */
const longest = (durations: readonly Duration[]): Duration => ({
  p50: Math.max(...durations.map(({ p50 }) => p50)),
  isRefused: durations.some(({ isRefused }) => isRefused),
});

/** Joins the pages of each group, which then have the durations of the slowest. */
const slowestOfGroups = (pages: readonly MeasuredPage[]): readonly MeasuredPage[] =>
  [...Map.groupBy(pages, ({ kind }) => kind.group)].map(([group, same]) => ({
    kind: { group, query: '', about: `the slowest of ${same.length}: ${group}` },
    measured: (same[0]?.measured ?? []).map((_, at) => longest(same.flatMap(({ measured }) => measured[at] ?? []))),
  }));

const pagesTable = (sizes: readonly number[], pages: readonly MeasuredPage[]): string =>
  table(
    ['page', '', ...sizes.map((size) => size.toLocaleString('en'))],
    pages.map(({ kind, measured }) => [
      kind.query && `\`${kind.query}\``,
      kind.about,
      ...measured.map(({ p50, isRefused }) => (isRefused ? `422 after ${format(p50)}` : format(p50))),
    ]),
  );

const goal = (pages: string, goalMs: number, durations: readonly Duration[]): string => {
  const { p50, isRefused } = longest(durations);
  const isReached = p50 <= goalMs && !isRefused;
  return `${pages}: at most ${format(p50)} ms (goal ≤ ${goalMs} ms; reached: ${verdict(isReached)})`;
};

const goals = ({ sizes, pages }: Results): readonly string[] => {
  const small = pages.flatMap(({ measured }) => measured.filter((_, at) => (sizes[at] ?? 0) <= 10_000));
  const counted = pages.filter(({ kind }) => !kind.query.includes('count=true'));
  const large = counted.flatMap(({ measured }) => measured.slice(-1)).filter(({ isRefused }) => !isRefused);
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
  const { conditions, sizes, pages, divisionCounts, divisionPages, plans, indexes } = results;
  const orders = slowestOfGroups(pages.filter(({ kind }) => isOrder(kind.group)));
  const others = pages.filter(({ kind }) => !isOrder(kind.group));
  return {
    all: [
      list(conditions),
      pagesTable(sizes, [...orders, ...others]),
      'Lists of divisions, by the number of divisions:',
      pagesTable(divisionCounts, divisionPages),
    ].join('\n\n'),
    summary: [
      list([...conditions, ...goals(results)]),
      planText(plans),
      pagesTable(sizes, slowestOfGroups(pages)),
      'The indexes of users in divisions of 100, and the kinds of page that read each:',
      table(
        ['index', 'kinds of page', 'such as', 'MB'],
        indexes.map(({ name, bytes, readers }) => [
          name,
          String(readers.length),
          readers[0] ?? '',
          format(bytes / 1e6),
        ]),
      ),
    ].join('\n\n'),
  };
};
