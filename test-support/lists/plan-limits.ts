import { type Explained, type Step, stepsOf } from './explain.ts';
import { isFlat, isOrder, type PageKind } from './page-kinds.ts';

const PAGE_SIZE = 50;

/** Up to this number of divisions, a sequential scan is as fast as an index scan. */
const SMALL_TABLE = 500;

/** Limit of rows of a scan that shares a connection. */
const SHORT_SCAN = 500;

/** Blocks of an index that are read to find a row by id, and to find the starts of a statement's ranges. */
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
  const exceeded: string[] = [];
  const limit = (name: string, value: number, max: number): void => {
    if (value > max) exceeded.push(`${name}: ${value} instead of ${max}`);
  };
  const scans = explained.flatMap(({ plan }) => stepsOf(plan)).filter((step) => step['Node Type'] === 'Seq Scan');
  const long = scans.filter((step) => step['Relation Name'] === 'user_account' || step['Actual Rows'] > SMALL_TABLE);
  limit('sequential scans', long.length, 0);
  for (const [at, one] of explained.entries()) {
    const { text, canShareConnection } = one.statement;
    const isScan = text.includes('scanned');
    // The first limit in a text is that of the rows it reads. A bounded scan, and a full sort along an index of the first field,
    // read these index entries again to see whether more rows follow. The rows of the page may be read by id.
    const rows = Number(/limit (\d+)/.exec(text)?.[1] ?? 1);
    const isReadTwice = isScan || text.includes('unread');
    limit('rows read', rowsRead(one), (isReadTwice ? 2 * rows + 1 : rows) + PAGE_SIZE + 1);
    if (canShareConnection) {
      limit('rows sorted by a brief statement', rowsSorted(one), 0);
      limit('rows read by a brief statement', rowsRead(one), (isScan ? 2 * SHORT_SCAN + 1 : 0) + PAGE_SIZE + 1);
      const byId = isScan ? PAGE_SIZE + 1 : 0;
      limit(
        'blocks read by a brief statement',
        blocksRead(one),
        rowsRead(one) + BLOCKS_BY_ID * byId + BLOCKS_OF_RANGES,
      );
    }
    if (!isFlat(group)) continue;
    limit('statements', at + 1, isOrder(group) ? 1 : 3);
    if (!isScan) limit('rows read without a scan', rowsRead(one), PAGE_SIZE + 1);
    limit('rows sorted', rowsSorted(one), isOrder(group) ? 0 : PAGE_SIZE);
  }
  return exceeded;
};
