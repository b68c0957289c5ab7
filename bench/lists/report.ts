import { shown } from '../report/numbers.ts';
import { table } from '../report/table.ts';
import { type Group, isFlat } from './kinds.ts';
import type { Measured } from './measure.ts';
import type { Way } from './people.ts';

/** What was measured of a kind of page, in databases of growing size. */
export interface Row {
  readonly way: Way;
  readonly group: Group;
  readonly query: string;
  readonly about: string;
  readonly measured: readonly Pick<Measured, 'p50' | 'p99'>[];
}

/** How many times as long a page may take in the largest database as in the smallest. */
const GOAL = 1.5;

const WAYS: Readonly<Record<Way, string>> = {
  one: 'All members in one division, others in others',
  many: 'A hundred members in each of many divisions, and all divisions',
};

const GROUPS: Readonly<Record<Group, string>> = {
  'first page': 'First pages in orders that an index has',
  'page at 90 %': 'Pages at 90 % of the depth, by the cursor of the page before or after',
  filters: 'Filters that many or few members pass',
  search: 'Words that many or few members have',
  division: 'The users of a division as anybody of it sees them',
  divisions: 'All divisions',
  others: 'What may grow: conditions neither frequent nor rare, orders without an index, counts',
};

/** How many times as long the page takes in the largest database as in the smallest, by the medians. */
const ratioOf = ({ measured }: Row): number => (measured.at(-1)?.p50 ?? Number.NaN) / (measured[0]?.p50 ?? Number.NaN);

const tableOf = (sizes: readonly number[], rows: readonly Row[]): string =>
  table(
    ['page', '', ...sizes.flatMap((size) => [`${size.toLocaleString('en')}: p50`, 'p99']), 'ratio', `≤ ${GOAL}`],
    rows.map((row) => [
      row.query && `\`${row.query}\``,
      row.about,
      ...row.measured.flatMap(({ p50, p99 }) => [shown(p50), shown(p99)]),
      shown(ratioOf(row)),
      ratioOf(row) <= GOAL ? 'yes' : '**no**',
    ]),
  );

const verdictOf = (rows: readonly Row[]): string => {
  const flat = rows.filter(({ group }) => isFlat(group));
  const good = flat.filter((row) => ratioOf(row) <= GOAL);
  const most = flat.toSorted((one, other) => ratioOf(other) - ratioOf(one))[0];
  const worst = most ? `; the highest ratio is ${shown(ratioOf(most))} (\`${most.query}\`)` : '';
  return `Of ${flat.length} kinds of pages that are not to grow, ${good.length} stay within ${GOAL}${worst}.`;
};

/** The tables of a run, in Markdown. `circumstances` are lines that say how it was made. */
export const listReport = (
  circumstances: readonly string[],
  sizes: readonly number[],
  rows: readonly Row[],
): string => {
  const sections = (Object.keys(WAYS) as Way[]).map((way) => {
    const ofWay = rows.filter((row) => row.way === way);
    const groups = (Object.keys(GROUPS) as Group[]).filter((group) => ofWay.some((row) => row.group === group));
    const tables = groups.map((group) => {
      const ofGroup = ofWay.filter((row) => row.group === group);
      return `${GROUPS[group]}:\n\n${tableOf(sizes, ofGroup)}`;
    });
    return `### ${WAYS[way]}\n\n${verdictOf(ofWay)}\n\n${tables.join('\n\n')}`;
  });
  return [circumstances.map((line) => `- ${line}`).join('\n'), ...sections].join('\n\n');
};
