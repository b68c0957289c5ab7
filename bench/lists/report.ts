import type { Way } from '../../test-support/lists/members.ts';
import { isFlat, type PageKind } from '../../test-support/lists/page-kinds.ts';
import { list, table, verdict } from '../report/markdown.ts';
import { shown } from '../report/numbers.ts';

/** The durations of a page, in milliseconds, in databases of growing size. */
export interface Row extends Pick<PageKind, 'group' | 'query' | 'about'> {
  readonly way: Way;
  readonly measured: readonly { readonly p50: number; readonly p99: number }[];
}

/** The maximum ratio of the medians in the largest and the smallest database. */
const GOAL = 1.5;

const WAYS: Readonly<Record<Way, string>> = {
  one: 'All members in one division, others in others',
  many: 'A hundred members in each of many divisions, and all divisions',
};

const ratioOf = ({ measured }: Row): number => (measured.at(-1)?.p50 ?? Number.NaN) / (measured[0]?.p50 ?? Number.NaN);

const tableOf = (sizes: readonly number[], rows: readonly Row[]): string =>
  table(
    [
      'kind',
      'page',
      '',
      ...sizes.flatMap((size) => [`${size.toLocaleString('en')}: p50`, 'p99']),
      'ratio',
      `≤ ${GOAL}`,
    ],
    rows.map((row) => [
      row.group,
      row.query && `\`${row.query}\``,
      row.about,
      ...row.measured.flatMap(({ p50, p99 }) => [shown(p50), shown(p99)]),
      shown(ratioOf(row)),
      verdict(ratioOf(row) <= GOAL),
    ]),
  );

const summaryOf = (rows: readonly Row[]): string => {
  const flat = rows.filter(({ group }) => isFlat(group)).toSorted((one, other) => ratioOf(other) - ratioOf(one));
  const good = flat.filter((row) => ratioOf(row) <= GOAL);
  const worst = flat[0] ? `; the highest ratio is ${shown(ratioOf(flat[0]))} (\`${flat[0].query}\`)` : '';
  return `Of ${flat.length} kinds of pages that must not grow, ${good.length} stay within ${GOAL}${worst}.`;
};

/** Formats the report in Markdown. `plans` is the result of the check of plans. */
export const listReport = (
  conditions: readonly string[],
  sizes: readonly number[],
  rows: readonly Row[],
  plans: string,
): string => {
  const partOf = ([way, title]: readonly [string, string]): string => {
    const ofWay = rows.filter((row) => row.way === way);
    return `### ${title}\n\n${summaryOf(ofWay)}\n\n${tableOf(sizes, ofWay)}`;
  };
  return [list(conditions), plans, ...Object.entries(WAYS).map(partOf)].join('\n\n');
};
