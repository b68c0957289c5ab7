import { type Explained, type Step, stepsOf } from './explain.ts';
import { isFlat, type PageKind } from './page-kinds.ts';

const PAGE_SIZE = 50;
/** Rows that the first and the second index walk may read. */
const ROWS_PER_WALK = [500, 8000] as const;

/** Index blocks for finding a row by id, and for finding the starts of a statement's ranges. */
const [BLOCKS_BY_ID, BLOCKS_OF_RANGES] = [4, 40] as const;

const rowsRemoved = (step: Step): number =>
  (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);

const rowsReadBy = (step: Step): number => (step['Actual Rows'] + rowsRemoved(step)) * step['Actual Loops'];

/** Returns how many rows of users a statement reads, or of divisions if it reads no users. */
export const rowsRead = ({ plan }: Explained): number => {
  const scans = stepsOf(plan).filter((step) => step['Relation Name'] !== undefined);
  const users = scans.filter((step) => step['Relation Name'] === 'user_account');
  return (users.length > 0 ? users : scans).reduce((total, step) => total + rowsReadBy(step), 0);
};

/** Returns the number of blocks that a statement reads. They include index entries that no row count shows. */
const blocksRead = ({ plan }: Explained): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

const rowsSorted = ({ plan }: Explained): number =>
  stepsOf(plan)
    .filter((step) => step['Node Type'].includes('Sort'))
    .flatMap((step) => step.Plans ?? [])
    .reduce((total, step) => total + step['Actual Rows'] * step['Actual Loops'], 0);

/** Returns the names of the indexes that a statement reads. */
export const indexesOf = ({ plan }: Explained): readonly string[] =>
  stepsOf(plan).flatMap((step) => step['Index Name'] ?? []);

/** Returns the limits of a page kind that its statements exceed, one line each. */
export const exceededLimits = ({ group }: PageKind, explained: readonly Explained[]): readonly string[] => {
  const found: string[] = [];
  const limit = (name: string, value: number, max: number): void => {
    if (value > max) found.push(`${name}: ${value} instead of ${max}`);
  };
  const scans = explained.flatMap(({ plan }) => stepsOf(plan)).filter((step) => step['Node Type'] === 'Seq Scan');
  // Reading a small table of divisions is as fast as reading its index.
  const long = scans.filter(
    (step) => step['Relation Name'] === 'user_account' || step['Actual Rows'] > ROWS_PER_WALK[0],
  );
  limit('sequential scans', long.length, 0);
  const isPlain = group === 'first page' || group === 'page at 90 %';
  for (const [at, one] of explained.entries()) {
    const isWalk = one.statement.text.includes('walked');
    // A walk reads matching rows, except the last, once; it may read the index a second time to see whether there are
    // more. Each of the two may read one more row to sort rows with equal values.
    const walked = 2 * ROWS_PER_WALK[at === 0 || isFlat(group) ? 0 : 1] + 1;
    // Rows found by an index walk are read by id, at most one page.
    const byId = one.statement.text.includes('page cross join') ? PAGE_SIZE + 1 : 0;
    if (isWalk) limit('rows read along an order', rowsRead(one), walked + byId);
    if (one.statement.isBrief) {
      limit('rows sorted by a brief statement', rowsSorted(one), 0);
      if (!isWalk) limit('rows read by a brief statement', rowsRead(one), PAGE_SIZE + 1);
      limit(
        'blocks read by a brief statement',
        blocksRead(one),
        rowsRead(one) + BLOCKS_BY_ID * byId + BLOCKS_OF_RANGES,
      );
    }
    if (!isFlat(group)) continue;
    limit('statements', at + 1, isPlain ? 1 : 2);
    if (!isWalk) limit('rows read', rowsRead(one), PAGE_SIZE + 1);
    limit('rows sorted', rowsSorted(one), isPlain ? 0 : PAGE_SIZE);
  }
  return found;
};
