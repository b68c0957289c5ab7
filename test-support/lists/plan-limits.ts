import { type Explained, nodesOf, type PlanNode } from './explain.ts';
import { isFlat, isOrder, type PageKind } from './page-kinds.ts';

const PAGE_SIZE = 50;

/** Up to this number of divisions, a sequential scan is as fast as an index scan. */
const SMALL_TABLE = 500;

/** Limit of rows of a scan that shares a connection. */
const SHORT_SCAN = 500;

/** Blocks of an index that are read to find a row by id, and to find the starts of a statement's ranges. */
const [BLOCKS_BY_ID, BLOCKS_OF_RANGES] = [4, 40] as const;

const rowsRemoved = (node: PlanNode): number =>
  (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);

const rowsReadBy = (node: PlanNode): number => (node['Actual Rows'] + rowsRemoved(node)) * node['Actual Loops'];

/** Returns how many rows of users a statement reads, or of divisions if it reads no users. */
export const rowsRead = ({ plan }: Explained): number => {
  const scans = nodesOf(plan).filter((node) => node['Relation Name'] !== undefined);
  const users = scans.filter((node) => node['Relation Name'] === 'user_account');
  return (users.length > 0 ? users : scans).reduce((total, node) => total + rowsReadBy(node), 0);
};

/** Returns the number of blocks that a statement reads. They include index entries that no row count shows. */
const blocksRead = ({ plan }: Explained): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

const rowsSorted = ({ plan }: Explained): number =>
  nodesOf(plan)
    .filter((node) => node['Node Type'].includes('Sort'))
    .flatMap((node) => node.Plans ?? [])
    .reduce((total, node) => total + node['Actual Rows'] * node['Actual Loops'], 0);

/** Returns the names of the indexes that a statement reads. */
export const indexesOf = ({ plan }: Explained): readonly string[] =>
  nodesOf(plan).flatMap((node) => node['Index Name'] ?? []);

/** Returns the limits of a page kind that its statements exceed, one line each. */
export const exceededLimits = ({ group }: PageKind, explained: readonly Explained[]): readonly string[] => {
  const exceeded: string[] = [];
  const limit = (name: string, value: number, max: number): void => {
    if (value > max) exceeded.push(`${name}: ${value} instead of ${max}`);
  };
  const scans = explained.flatMap(({ plan }) => nodesOf(plan)).filter((node) => node['Node Type'] === 'Seq Scan');
  const long = scans.filter((node) => node['Relation Name'] === 'user_account' || node['Actual Rows'] > SMALL_TABLE);
  limit('sequential scans', long.length, 0);
  for (const [at, one] of explained.entries()) {
    const { text, canShareConnection } = one.statement;
    const isScan = text.includes('scanned');
    // The first `limit` of a statement bounds the rows that it reads. A bounded scan, and a full sort that reads an index on the
    // first field, then read as many index entries again, to find out whether more rows follow. Reading the rows of the page by
    // id may add one page.
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
