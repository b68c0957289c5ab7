import { DomainError, type ListField, type ListQuery, listValueOf, type Page, type Position } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import { boundedScan } from './bounded-scan.ts';
import { count, countedShape, planCount } from './count.ts';
import { fullSort } from './full-sort.ts';
import { indexLookup } from './index-lookup.ts';
import { indexScan } from './index-scan.ts';
import type { List, ListScope, ListTable } from './list.ts';
import { LIMITS, type Limits, planPage, type Strategy } from './plan.ts';
import { matchOrder, type Shape, shapeOf, withoutFixedFields } from './shape.ts';
import { compile, type ListInput, type ListStatement, makeCache, type Sql } from './statements.ts';

/**
 * Reads a page of a list.
 *
 * @throws DomainError `unavailable` if all strategies exceed their limits. The message says how to narrow the request.
 */
export type ReadPage = <
  Field extends string,
  Shown extends Field,
  Item extends Readonly<Record<Shown, unknown>>,
  Row extends readonly unknown[],
  Scope extends ListScope,
  Header extends readonly unknown[],
>(
  list: List<Field, Item, Row, Scope, Header>,
  scope: NoInfer<Scope>,
  query: ListQuery<Shown>,
) => Promise<Page<Item>>;

type Row = readonly unknown[];

/** `Retry-After` in seconds, which each 503 has (contract §2). Waiting rarely helps: the client has to change the request. */
const LIST_RETRY_AFTER_SECONDS = 60;

/** Returns the error of a request that no strategy completes. `remedies` are ways to narrow it, besides conditions. */
const tooCostly = (
  what: string,
  { advice }: ListTable<string>,
  { hasTrigrams }: Shape<string>,
  { large }: Limits,
  remedies: readonly string[],
): DomainError => {
  const all = [
    ...remedies,
    ...(advice.filter ? [`add a filter that names a value (such as \`${advice.filter}=…\`)`] : []),
    hasTrigrams ? 'search for a less frequent word' : 'search for a word of at least three letters or digits',
  ];
  const detail = `${what} would read more than ${large.toLocaleString('en')} rows; ${all.join(', or ')}`;
  return new DomainError('unavailable', detail, { retryAfter: LIST_RETRY_AFTER_SECONDS });
};

const statementOf = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  strategy: Strategy<Field>,
): Sql => {
  if (strategy.kind === 'index scan') return indexScan(list, scope, shape, strategy);
  if (strategy.kind === 'bounded scan') return boundedScan(list, scope, shape, strategy);
  if (strategy.kind === 'index lookup and sort') return indexLookup(list, scope, shape, strategy);
  return fullSort(list, scope, shape, strategy);
};

/** Returns whether a row is an item. The header row and the limit row have no id. */
const isItemRow = ([id]: Row): boolean => id !== null;

const hasLimitRow = (rows: readonly Row[]): boolean => rows.at(-1)?.at(-1) === true;

/**
 * Makes a page. `read` has its items in the order of reading, and one more item if another page follows in that order. A page
 * before a cursor is read backwards.
 */
const toPage = <Field extends string, Item extends Readonly<Record<Field, unknown>>>(
  fields: Readonly<Record<Field, ListField>>,
  { order, position, size }: ListQuery<Field>,
  read: readonly Item[],
): Page<Item> => {
  const items = read.slice(0, size);
  if (position?.side === 'before') items.reverse();
  const edge = (side: Position['side'], item: Item | undefined): Position =>
    item
      ? { side, inclusive: false, values: order.map(({ field }) => listValueOf(fields[field], item[field])) }
      : { side, inclusive: true, values: position?.values ?? [] };
  const next = edge('after', items.at(-1));
  const previous = edge('before', items[0]);
  const hasMore = read.length > size;
  if (!position) return { items, next: hasMore ? next : null, previous: null };
  return position.side === 'after'
    ? { items, next: hasMore ? next : null, previous }
    : { items, next, previous: hasMore ? previous : null };
};

/** Maximum number of shapes with cached statements in each of two caches: for pages and for counts. */
const CACHED_SHAPES = 500;

/** Returns a function that compiles a statement on first use. */
const lazy = (build: () => Sql, canShareConnection = false): (() => ListStatement) => {
  let statement: ListStatement | undefined;
  return () => (statement ??= compile(build(), canShareConnection));
};

/** Makes the function that reads pages from PostgreSQL. */
export const makeReadPage = (runner: Runner, limits: Limits = LIMITS): ReadPage => {
  const pageStatements = makeCache<readonly (() => ListStatement)[]>(CACHED_SHAPES);
  const countStatements = makeCache<readonly (() => ListStatement)[]>(CACHED_SHAPES);

  const run = (getStatement: () => ListStatement, input: ListInput): Promise<readonly Row[]> => {
    const { statement, valuesOf } = getStatement();
    return runner.query(statement, valuesOf(input));
  };

  const readRows = async <Field extends string>(
    list: ListTable<Field>,
    shape: Shape<Field>,
    key: string,
    input: ListInput,
  ): Promise<readonly Row[]> => {
    const { scope, query } = input;
    const statements = pageStatements(key, () =>
      planPage(list, scope, shape, limits).map((strategy) =>
        lazy(
          () => statementOf(list, scope, shape, strategy),
          'canShareConnection' in strategy && strategy.canShareConnection,
        ),
      ),
    );
    for (const statement of statements) {
      const rows = await run(statement, input);
      const hasNextItem = rows.filter(isItemRow).length > query.size;
      if (hasNextItem || !hasLimitRow(rows)) return rows;
    }
    const isExact = matchOrder(list, scope, shape).match === 'exact';
    const remedies = list.advice.order && !isExact ? [`order by ${list.advice.order}`] : [];
    throw tooCostly('this page', list, shape, limits, remedies);
  };

  const countRows = async <Field extends string>(
    list: ListTable<Field>,
    shape: Shape<Field>,
    key: string,
    input: ListInput,
  ): Promise<number> => {
    const { scope } = input;
    const statements = countStatements(key, () => {
      const counted = countedShape(list, scope, shape);
      return planCount(list, scope, counted, limits).map((strategy) =>
        lazy(() => count(list, scope, counted, strategy)),
      );
    });
    for (const statement of statements) {
      const [[total, isExceeded] = []] = await run(statement, input);
      if (isExceeded === false && typeof total === 'number') return total;
    }
    throw tooCostly('the count', list, shape, limits, ['omit `count`']);
  };

  return async <
    Field extends string,
    Shown extends Field,
    Item extends Readonly<Record<Shown, unknown>>,
    Of extends Row,
    Scope extends ListScope,
    Header extends Row,
  >(
    list: List<Field, Item, Of, Scope, Header>,
    scope: NoInfer<Scope>,
    requested: ListQuery<Shown>,
  ) => {
    const query = withoutFixedFields(list, scope, requested);
    const input: ListInput = { scope, query };
    const shape = shapeOf(list, query);
    const key = `${list.name} ${JSON.stringify(shape)}`;
    const rows = await readRows(list, shape, key, input);
    const header = rows.find((row) => !isItemRow(row) && row.at(-1) === false)?.slice(list.select.length, -1) ?? [];
    // A missing header row means that the division does not exist, so it has no list.
    const isMissing = list.hasHeader && header.length === 0;
    const toItem = list.makeToItem(header as Row as Header, scope);
    const items = isMissing ? [] : rows.filter(isItemRow).map((row) => toItem(row as Of));
    const page = toPage(list.fields, requested, items);
    return query.counted ? { ...page, count: await countRows(list, shape, key, input) } : page;
  };
};
