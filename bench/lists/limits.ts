import { isFlat, type Kind } from './kinds.ts';
import { type Explained, type Step, stepsOf } from './plans.ts';

const PAGE = 50;
/** What the first walk along an order may look at, and what the second. */
const WALKS = [500, 8000] as const;

/** Blocks of an index that lead to a row by its id; and those that lead to where stretches begin. */
const [BLOCKS_BY_ID, BLOCKS] = [4, 40] as const;

const removed = (step: Step): number =>
  (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0);

const looked = (step: Step): number => (step['Actual Rows'] + removed(step)) * step['Actual Loops'];

/** How many rows of users, or of divisions where there are no users in it, a statement looks at. */
export const rowsRead = ({ plan }: Explained): number => {
  const scans = stepsOf(plan).filter((step) => step['Relation Name'] !== undefined);
  const users = scans.filter((step) => step['Relation Name'] === 'user_account');
  return (users.length > 0 ? users : scans).reduce((total, step) => total + looked(step), 0);
};

/** How many blocks a statement reads: entries of an index that it goes through in vain are in no count of rows. */
const blocksRead = ({ plan }: Explained): number => plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];

/** How many rows a statement sorts. */
const rowsSorted = ({ plan }: Explained): number =>
  stepsOf(plan)
    .filter((step) => step['Node Type'].includes('Sort'))
    .flatMap((step) => step.Plans ?? [])
    .reduce((total, step) => total + step['Actual Rows'] * step['Actual Loops'], 0);

/** The indexes that a statement reads. */
export const indexesOf = ({ plan }: Explained): readonly string[] =>
  stepsOf(plan).flatMap((step) => step['Index Name'] ?? []);

/** In what the statements of a page do more than a kind of page is allowed to; empty where they do not. */
export const transgressions = ({ group }: Kind, explained: readonly Explained[]): readonly string[] => {
  const found: string[] = [];
  const limit = (what: string, value: number, most: number): void => {
    if (value > most) found.push(`${what}: ${value} instead of ${most}`);
  };
  const scans = explained.flatMap(({ plan }) => stepsOf(plan)).filter((step) => step['Node Type'] === 'Seq Scan');
  // A table of a few divisions is read as fast as an index of it.
  const long = scans.filter((step) => step['Relation Name'] === 'user_account' || step['Actual Rows'] > WALKS[0]);
  limit('sequential scans', long.length, 0);
  const isPlain = group === 'first page' || group === 'page at 90 %';
  for (const [at, one] of explained.entries()) {
    const isWalk = one.statement.text.includes('walked');
    // Once, less one, for those that meet the conditions; and once, in the index alone, to see whether there are more. One
    // more each where equal values of the index are still to be sorted.
    const walked = 2 * WALKS[at === 0 || isFlat(group) ? 0 : 1] + 1;
    // What an index has told of is read by its id, a page at most.
    const byId = one.statement.text.includes('page cross join') ? PAGE + 1 : 0;
    if (isWalk) limit('rows read along an order', rowsRead(one), walked + byId);
    if (one.statement.isBrief) {
      limit('rows sorted by a brief statement', rowsSorted(one), 0);
      if (!isWalk) limit('rows read by a brief statement', rowsRead(one), PAGE + 1);
      limit('blocks read by a brief statement', blocksRead(one), rowsRead(one) + BLOCKS_BY_ID * byId + BLOCKS);
    }
    if (!isFlat(group)) continue;
    limit('statements', at + 1, isPlain ? 1 : 2);
    if (!isWalk) limit('rows read', rowsRead(one), PAGE + 1);
    limit('rows sorted', rowsSorted(one), isPlain ? 0 : PAGE);
  }
  return found;
};
