import type { ListQuery, Page } from '@chapter/domain';
import type { Runner } from '../statement.ts';
import type { Asked, Fragment } from './fragment.ts';
import type { List } from './lists.ts';
import { toPage } from './page.ts';
import {
  type Described,
  isByTokens,
  isOrdered,
  isPlain,
  isPointed,
  selectCount,
  selectFound,
  selectPlain,
  selectWalking,
} from './selects.ts';
import { type Shape, shapeOf } from './shape.ts';
import { makeStatements } from './statements.ts';

/** Reads a page of a list; `scope` are the values of the list's own condition. */
export type ListRows = <
  Field extends string,
  Item extends Readonly<Record<Field, unknown>>,
  Row extends readonly unknown[],
>(
  list: List<Field, Item, Row>,
  scope: readonly unknown[],
  query: ListQuery<Field>,
) => Promise<Page<Item>>;

/** How many rows are looked at along the order for a page of rows that meet conditions; see `docs/lists.md`. */
const STEPS = 1000;
/** And how many more where the first of them promise that a page is among these. */
const MORE = 16;

type Row = readonly unknown[];
type Run = (key: string, isNamed: boolean, make: () => Fragment, asked: Asked) => Promise<readonly Row[]>;

/** What a page was found by, which says something of how many rows there are. */
interface Read {
  readonly rows: readonly Row[];
  readonly byTokens: boolean;
}

const isFound = (row: Row): boolean => row.at(-1) === true;

/**
 * A page costs the same in a list of any length: rows that meet conditions which many rows meet are met soon along the
 * index of the order, and of those that meet rare ones there are few to sort. Which it is, no statistics know: what is
 * rare in the service may be frequent in a division, and the other way round. So it is tried, for a bounded price.
 */
const read = async <Field extends string>(
  run: Run,
  steps: number,
  list: Described<Field>,
  shape: Shape<Field>,
  asked: Asked,
): Promise<Read> => {
  const key = `${list.name} ${JSON.stringify(shape)}`;
  const byTokens = isByTokens(list, shape);
  const found = async (): Promise<Read> => {
    // Which index leads to the fewest rows depends on the values, unless it is known beforehand: then no plan is worse.
    const isNamed = byTokens || isPointed(list, shape);
    return { rows: await run(`found ${key}`, isNamed, () => selectFound(list, shape, byTokens), asked), byTokens };
  };
  if (!isOrdered(list, shape)) return found();
  if (isPlain(list, shape)) {
    return { rows: await run(`plain ${key}`, true, () => selectPlain(list, shape), asked), byTokens: false };
  }
  if (isPointed(list, shape)) return found();
  for (const most of [steps, steps * MORE]) {
    const rows = await run(`walk ${most} ${key}`, true, () => selectWalking(list, shape, most), asked);
    const met = rows.filter(isFound);
    if (met.length === rows.length) return { rows, byTokens: false };
    if (met.length * MORE <= asked.query.size) break;
  }
  return found();
};

/** Lists on PostgreSQL. `steps` is what a page may cost along its order before its rows are looked for otherwise. */
export const makeListRows = (runner: Runner, steps: number = STEPS): ListRows => {
  // Apart, so that however many conditions people think of, lists without any keep their names.
  const [plain, others] = [makeStatements(), makeStatements()];
  const run: Run = (key, isNamed, make, asked) => {
    const { statement, valuesOf } = (key.startsWith('plain') ? plain : others)(key, isNamed, make);
    return runner.query(statement, valuesOf(asked));
  };
  const count = async <Field extends string>(list: Described<Field>, asked: Asked, byTokens: boolean) => {
    const shape: Shape<Field> = { ...shapeOf(asked.query as ListQuery<Field>), order: [], position: null };
    const isWhole = shape.words === 0 && shape.filters.length === 0;
    const isBy = byTokens && !isWhole;
    const key = `count ${isBy} ${list.name} ${JSON.stringify(shape)}`;
    const [row] = await run(key, isBy || isWhole, () => selectCount(list, shape, isBy), asked);
    return { count: row?.[0] as number };
  };
  return async (list, scope, query) => {
    const asked: Asked = { scope, query };
    const { rows, byTokens } = await read(run, steps, list, shapeOf(query), asked);
    const items = rows.map((row) => list.toItem(row as Parameters<typeof list.toItem>[0]));
    const page = toPage(list.fields, query, items);
    return query.counted ? { ...page, ...(await count(list, asked, byTokens)) } : page;
  };
};
