import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions, lookupConditions } from './conditions.ts';
import { type ListScope, type ListTable, orderIndexes } from './list.ts';
import { type FilterPositions, type FilterShape, filtersWhere, isFixed, type Shape } from './shape.ts';
import { hasAtMost, sortedColumns, sortedPage } from './sorted-page.ts';
import { allOf, column, divisionId, inScope, type Sql } from './statements.ts';

/**
 * Index lookup and sort: finds rows that meet some conditions with an index other than that of the order, checks the other
 * conditions on each row, and sorts.
 *
 * - Applies if a filter compares an indexed field, or if words or filters have parts that the inverted index contains: trigrams
 *   of ASCII letters and digits, characters other than frequent ones, groups, flags.
 * - Reads up to `limit` + 1 rows and sorts as many, for any word. The limit includes found rows that do not contain the word.
 *   If the index is inverted, it first reads index entries: for each condition, at most as many as the table has rows, including
 *   rows of other divisions. If `work_mem` is too small for the found rows, PostgreSQL stores only their blocks and checks all
 *   rows in them.
 * - Is correct because every row that meets all conditions is found. If more than `limit` rows are found, the page is
 *   incomplete, and the result ends with a limit row.
 */
export interface IndexLookup {
  readonly kind: 'index lookup and sort';
  readonly index: Index;
  /** The filters that the index serves. Each row is checked against all filters. */
  readonly filters: FilterPositions;
  readonly limit: number;
}

type Operator = FilterShape<string>['operator'];
const VALUES: readonly Operator[] = ['eq', 'in'];
const BOUNDS: readonly Operator[] = ['lt', 'lte', 'gt', 'gte', 'istartswith', 'isnull'];

const lookupByField = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  operators: readonly Operator[],
  limit: number,
): readonly IndexLookup[] => {
  const isComparison = ({ operator }: FilterShape<Field>): boolean => operators.includes(operator);
  for (const filter of shape.filters) {
    if (!isComparison(filter) || isFixed(list, scope, filter.field)) continue;
    const [found] = orderIndexes(list, scope, filter.field);
    if (!found) continue;
    const filters = filtersWhere(shape, (one) => one.field === filter.field && isComparison(one));
    return [{ kind: 'index lookup and sort', index: found.index, filters, limit }];
  }
  return [];
};

/**
 * Plans the first attempt: a lookup of the rows with the values of filters (`last_name=Berg`), usually the fewest rows.
 * `planLookups` plans the same lookup with the limit of the last attempts.
 */
export const planValueLookup = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  limit: number,
): readonly IndexLookup[] => lookupByField(list, scope, shape, VALUES, limit);

/**
 * Plans the lookups that apply: by values, else by trigrams, else by bounds (`birthdate__gte=…`) and then by characters, groups and
 * flags. The lookup by trigrams also compares other characters, groups and flags.
 */
export const planLookups = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  limit: number,
): readonly IndexLookup[] => {
  const values = lookupByField(list, scope, shape, VALUES, limit);
  if (values.length > 0) return values;
  const index = list.indexes.find(({ kind }) => kind === 'gin');
  const isArray = (field: Field): boolean => list.fields[field].kind === 'groups';
  const filters = filtersWhere(
    shape,
    ({ field, operator }) =>
      index?.columns.includes(list.columns[field]) === true && (operator === 'eq' || isArray(field)),
  );
  const inverted: readonly IndexLookup[] = index ? [{ kind: 'index lookup and sort', index, filters, limit }] : [];
  if (shape.hasTrigrams) return inverted;
  const isServed = shape.hasCharacters || filters.length > 0;
  return [...lookupByField(list, scope, shape, BOUNDS, limit), ...(isServed ? inverted : [])];
};

/** Returns the statement of an index lookup and sort. */
export const indexLookup = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  strategy: IndexLookup,
): Sql => {
  const met = checks(list, shape, [...shape.filters.keys()]);
  const read = selectFoundRows(list, scope, shape, strategy, sortedColumns(list, shape, met));
  return sortedPage(list, shape, { read, isWhole: hasAtMost(strategy.limit) });
};

/** Returns a statement that selects `columns` of the rows that a lookup finds, up to one more than the limit. */
export const selectFoundRows = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, filters, limit }: IndexLookup,
  columns: Sql,
): Sql => {
  const isInverted = index.kind === 'gin';
  // Only the inverted index has the division as text, so PostgreSQL can use no other index.
  const inDivision = sql`${column('division_id')}::text = ${divisionId('text')}`;
  const where = [
    isInverted && scope !== 'all' ? inDivision : inScope(scope),
    ...(isInverted ? lookupConditions(list, shape) : []),
    ...filterConditions(list, shape, filters),
  ];
  return sql`select ${columns} from ${sql.table(list.table)} u where ${allOf(where)} limit ${sql.lit(limit + 1)}`;
};
