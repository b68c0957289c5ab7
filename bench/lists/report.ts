import { isOrder, type PageGroup, type PageKind } from '../../test-support/lists/page-kinds.ts';
import { list, table } from '../../test-support/report/markdown.ts';
import { format } from '../../test-support/report/numbers.ts';

/** The median duration of a page in milliseconds, and whether it was refused for its cost. */
interface Measured {
  readonly p50: number;
  readonly isRefused: boolean;
}

/** A kind of page, measured in databases of growing size. */
export interface Row extends Pick<PageKind, 'about' | 'group' | 'query'> {
  readonly measured: readonly Measured[];
}

const cell = ({ p50, isRefused }: Measured): string => (isRefused ? `503 after ${format(p50)}` : format(p50));

/** Returns one row with the slowest page of a group in each database. Groups other than orders keep all rows. */
const slowest = (group: PageGroup, rows: readonly Row[]): readonly Row[] => {
  const ofGroup = rows.filter((row) => row.group === group);
  if (!isOrder(group) || ofGroup.length === 0) return ofGroup;
  const measured = (ofGroup[0]?.measured ?? []).map((_, at) => ({
    p50: Math.max(...ofGroup.map((row) => row.measured[at]?.p50 ?? 0)),
    isRefused: ofGroup.some((row) => row.measured[at]?.isRefused),
  }));
  const about = `the slowest of ${ofGroup.length}: ${group}, in an order of one field`;
  return [{ group, query: '', about, measured }];
};

/** Formats the report in Markdown. `plans` is the result of the check of plans. */
export const listReport = (
  conditions: readonly string[],
  sizes: readonly number[],
  rows: readonly Row[],
  plans: string,
): string => {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const lines = groups
    .flatMap((group) => slowest(group, rows))
    .map(({ query, about, measured }) => [query && `\`${query}\``, about].concat(measured.map(cell)));
  const head = ['page', '', ...sizes.map((size) => size.toLocaleString('en'))];
  return [list(conditions), plans, table(head, lines)].join('\n\n');
};
