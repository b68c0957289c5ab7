import {
  type DomainError,
  type ListQuery,
  listValueOf,
  type Page,
  type Position,
  tooCostly,
} from '@chapter/domain/ports';
import { LRUCache } from 'lru-cache';
import type { Runner } from '../connection/statement.ts';
import { fullSort } from './full-sort.ts';
import { indexLookup } from './index-lookup.ts';
import type { List, ListTable } from './list.ts';
import { count, countedShape, LIMITS, type Limits, planCount, planPage, type Strategy } from './plan.ts';
import { boundedScan, indexScan } from './scans.ts';
import { columnOf, keyOf, type ListInput, matchOrder, type Shape, shapeOf } from './shape.ts';
import { compile, type ListStatement, type Sql } from './statements.ts';

/**
 * Reads a page of a list. `divisionId` is the division of a list of one division, else null.
 *
 * @throws DomainError `too_costly` if all strategies exceed their limits. The message says how to narrow the request.
 */
export type ReadPage = <Item extends object>(
  list: List<Item>,
  divisionId: string | null,
  query: ListQuery<keyof NoInfer<Item> & string>,
) => Promise<Page<Item>>;

type Row = readonly unknown[];

/** Returns the error of a request that no strategy completes. `remedies` are ways to narrow it, besides conditions. */
const refusalOf = (
  what: string,
  { list: { advice }, hasTrigrams }: Shape,
  { large }: Limits,
  remedies: readonly string[],
): DomainError => {
  const all = [
    ...remedies,
    ...(advice.filter ? [`add a filter that names a value (such as \`${advice.filter}=…\`)`] : []),
    hasTrigrams ? 'search for a less frequent word' : 'search for a word of at least three letters or digits',
  ];
  const detail = `${what} would read more than ${large.toLocaleString('en')} rows; ${all.join(', or ')}`;
  return tooCostly(detail);
};

const statementOf = (shape: Shape, strategy: Strategy): Sql => {
  if (strategy.kind === 'index scan') return indexScan(shape, strategy);
  if (strategy.kind === 'bounded scan') return boundedScan(shape, strategy);
  if (strategy.kind === 'index lookup and sort') return indexLookup(shape, strategy);
  return fullSort(shape, strategy);
};

/**
 * Splits a result into the name of the division from the header row, the rows of items, and whether a limit row ended
 * it. The header row and the limit row have no id; the last column is true in the limit row only. A missing header row
 * means that the division does not exist, so it has no list.
 */
const resultOf = ({ select, hasHeader }: ListTable, rows: readonly Row[]) => {
  const [first, isExceeded] = [rows[0], rows.at(-1)?.at(-1) === true];
  const header = first?.[0] === null && first.at(-1) === false ? first : undefined;
  if (hasHeader && !header) return { divisionName: '', rows: [], isExceeded: false };
  return {
    divisionName: (header?.[select.length] ?? '') as string,
    rows: rows.slice(header ? 1 : 0, isExceeded ? -1 : undefined),
    isExceeded,
  };
};

/**
 * Makes a page from rows in the order of reading. There is one more row than the page has if another page follows in
 * that order. A page before a cursor is read backwards.
 */
const toPage = <Item extends object>(
  list: List<Item>,
  divisionId: string | null,
  { order, position, size }: ListQuery<keyof Item & string>,
  { rows, divisionName }: ReturnType<typeof resultOf>,
): Page<Item> => {
  const division = { id: divisionId ?? '', name: divisionName };
  const items = rows.slice(0, size).map((row) => list.toItem(row, division));
  if (position?.side === 'before') items.reverse();
  const edge = (side: Position['side'], item: Item | undefined): Position =>
    item
      ? { side, inclusive: false, values: order.map(({ field }) => listValueOf(columnOf(list, field), item[field])) }
      : { side, inclusive: true, values: position?.values ?? [] };
  const next = edge('after', items.at(-1));
  const previous = edge('before', items[0]);
  const hasMore = rows.length > size;
  if (!position) return { items, next: hasMore ? next : null, previous: null };
  return position.side === 'after'
    ? { items, next: hasMore ? next : null, previous }
    : { items, next, previous: hasMore ? previous : null };
};

const CACHED_SHAPES = 500;

const lazy = <Value>(make: () => Value): (() => Value) => {
  let value: Value | undefined;
  return () => (value ??= make());
};

/** Plans the statements of a shape: those that read a page, and those that count its rows, each to try in order. */
const planStatements = (shape: Shape, limits: Limits) => ({
  page: planPage(shape, limits).map((strategy) =>
    lazy(() => {
      const canShareConnection = 'canShareConnection' in strategy && strategy.canShareConnection;
      return compile(statementOf(shape, strategy), canShareConnection);
    }),
  ),
  count: lazy(() => {
    const counted = countedShape(shape);
    return planCount(counted, limits).map((strategy) => lazy(() => compile(count(counted, strategy), false)));
  }),
});

/** Statements to try in order, each compiled on first use. */
type Attempts = readonly (() => ListStatement)[];

const run = (runner: Runner, getStatement: () => ListStatement, input: ListInput): Promise<readonly Row[]> => {
  const { statement, valuesOf } = getStatement();
  return runner.query(statement, valuesOf(input));
};

/**
 * Reads the members of a division, or the list of divisions if `divisionId` is null. `read` gets the runner of a server
 * that has all changes of the division that were committed before the call.
 */
export type ReadFrom = <T>(divisionId: string | null, read: (runner: Runner) => Promise<T>) => Promise<T>;

/** Reads everything from one server. */
export const onlyFrom =
  (runner: Runner): ReadFrom =>
  (_, read) =>
    read(runner);

/** Makes the function that reads pages from PostgreSQL. */
export const makeReadPage = (readFrom: ReadFrom, limits: Limits = LIMITS): ReadPage => {
  const cached = new LRUCache<string, ReturnType<typeof planStatements>, Shape>({
    max: CACHED_SHAPES,
    memoMethod: (_key, _stale, { context }) => planStatements(context, limits),
  });

  const readResult = async (runner: Runner, shape: Shape, statements: Attempts, input: ListInput) => {
    for (const statement of statements) {
      const result = resultOf(shape.list, await run(runner, statement, input));
      const hasNextItem = result.rows.length > input.query.size;
      if (hasNextItem || !result.isExceeded) return result;
    }
    const { order } = shape.list.advice;
    const remedies = order && matchOrder(shape).match !== 'exact' ? [`order by ${order}`] : [];
    throw refusalOf('this page', shape, limits, remedies);
  };

  const countRows = async (runner: Runner, shape: Shape, statements: Attempts, input: ListInput): Promise<number> => {
    for (const statement of statements) {
      const [[total, isExceeded] = []] = await run(runner, statement, input);
      if (isExceeded === false && typeof total === 'number') return total;
    }
    throw refusalOf('the count', shape, limits, ['omit `count`']);
  };

  return async (list, divisionId, query) => {
    const input: ListInput = { divisionId, query };
    const shape = shapeOf(list, input);
    const statements = cached.memo(keyOf(shape), { context: shape });
    return readFrom(divisionId, async (runner) => {
      const page = toPage(list, divisionId, query, await readResult(runner, shape, statements.page, input));
      return query.counted ? { ...page, count: await countRows(runner, shape, statements.count(), input) } : page;
    });
  };
};
