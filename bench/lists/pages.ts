import type { ReadPage } from '../../packages/adapters-postgres/src/lists/read-page.ts';
import { isDomainError } from '../../packages/domain/src/index.ts';
import { isOrder, type PageGroup, type PageKind } from '../../test-support/lists/page-kinds.ts';
import { table, verdict } from '../report/markdown.ts';
import { format, median } from '../report/numbers.ts';

/** Reads of a page that do not count: they load blocks into memory, and the server chooses a plan. */
const WARM_UPS = 10;
/** A page is read no more after `MIN_READS` if its reads took longer than this in all, in milliseconds. */
const MAX_MS = 2000;
const MIN_READS = 10;

/** A median in milliseconds, and whether the page was refused for its cost. */
interface Duration {
  readonly p50: number;
  readonly isRefused: boolean;
}

/** A kind of page, with its duration in each division or database. */
interface MeasuredPage {
  readonly kind: Pick<PageKind, 'about' | 'group' | 'query'>;
  readonly measured: readonly Duration[];
}

const acceptRefusal = (error: unknown): true => {
  if (!isDomainError(error)) throw error;
  return true;
};

/**
 * Measures all kinds of pages of divisions or databases, whose kinds at the same position differ only in the division. Each is
 * read in all of them in turn, so that a slow moment of the machine affects all.
 */
export const measurePages = async (
  targets: readonly { readonly kinds: readonly PageKind[]; readonly readPage: ReadPage }[],
  rounds: number,
): Promise<readonly MeasuredPage[]> => {
  const pages: MeasuredPage[] = [];
  for (const [at, kind] of targets[0]?.kinds.entries() ?? []) {
    const reads = targets.flatMap(({ kinds, readPage }) =>
      kinds
        .slice(at, at + 1)
        .map(({ read }) => ({ read, readPage, spent: 0, isRefused: false, times: [] as number[] })),
    );
    for (let round = -Math.min(WARM_UPS, rounds); round < rounds; round++) {
      for (const one of reads) {
        if (one.spent > MAX_MS && one.times.length >= MIN_READS) continue;
        const began = performance.now();
        one.isRefused = await one.read(one.readPage).then(() => false, acceptRefusal);
        const time = performance.now() - began;
        one.spent += time;
        if (round >= 0) one.times.push(time);
      }
    }
    pages.push({ kind, measured: reads.map(({ times, isRefused }) => ({ p50: median(times), isRefused })) });
  }
  return pages;
};

/** The longest of several durations; refused, if any page was. */
const longest = (durations: readonly Duration[]): Duration => ({
  p50: Math.max(...durations.map(({ p50 }) => p50)),
  isRefused: durations.some(({ isRefused }) => isRefused),
});

/** Replaces the pages of each chosen group by one with the durations of the slowest. Groups of orders are chosen by default. */
export const slowestOfGroups = (
  pages: readonly MeasuredPage[],
  isChosen: (group: PageGroup) => boolean = isOrder,
): readonly MeasuredPage[] =>
  [...Map.groupBy(pages, ({ kind }) => kind.group)].flatMap(([group, same]) => {
    if (!isChosen(group)) return same;
    const measured = (same[0]?.measured ?? []).map((_, at) => longest(same.flatMap((page) => page.measured[at] ?? [])));
    return [{ kind: { group, query: '', about: `the slowest of ${same.length}: ${group}` }, measured }];
  });

/** Formats the durations of pages in columns by size. */
export const pagesTable = (sizes: readonly number[], pages: readonly MeasuredPage[]): string =>
  table(
    ['page', '', ...sizes.map((size) => size.toLocaleString('en'))].join(' | '),
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

/** Formats whether the goals are reached. */
export const goalsOf = (sizes: readonly number[], pages: readonly MeasuredPage[]): readonly string[] => {
  const small = pages.flatMap(({ measured }) => measured.filter((_, at) => (sizes[at] ?? 0) <= 10_000));
  const counted = pages.filter(({ kind }) => !kind.query.includes('count=true'));
  const large = counted.flatMap(({ measured }) => measured.slice(-1)).filter(({ isRefused }) => !isRefused);
  return [
    goal('pages and counts in divisions of up to 10,000 members, none of them refused', 30, small),
    goal('pages in the largest division, without those that are refused', 150, large),
  ];
};
