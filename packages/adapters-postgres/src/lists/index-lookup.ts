import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions, trigramConditions } from './conditions.ts';
import { isFixed, type ListScope, type ListTable, orderIndexes } from './list.ts';
import { type FilterPlaces, type FilterShape, filtersWhere, type Shape } from './shape.ts';
import { sortedColumns, sortedPage } from './sorted-page.ts';
import { allOf, column, divisionId, inScope, type Sql } from './statements.ts';

/**
 * Index lookup and sort: finds the rows that meet some conditions by another index than that of the order, checks the other
 * conditions on each, and sorts.
 *
 * - Applies where filters compare an indexed field, and where words or filters have what the inverted index has: trigrams,
 *   groups, flags.
 * - Reads up to `limit` + 1 rows and sorts as many. An inverted index also reads its entries for the rarest of the conditions,
 *   those of other divisions included.
 * - Is correct because every row that meets all conditions is found. If more than `limit` rows are found, the page is not
 *   complete, and the result ends with a limit row.
 */
export interface IndexLookup {
  readonly kind: 'index lookup and sort';
  readonly index: Index;
  /** The filters by which rows are found. Each row is checked against all filters. */
  readonly filters: FilterPlaces;
  readonly limit: number;
}

type Operator = FilterShape<string>['operator'];
const VALUES: readonly Operator[] = ['eq', 'in'];
const BOUNDS: readonly Operator[] = ['lt', 'lte', 'gt', 'gte', 'istartswith', 'isnull'];

const byField = <Field extends string>(
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

/** Plans a lookup of the rows that have given values (`last_name=Berg`), which are the fewest. */
export const planValueLookup = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  limit: number,
): readonly IndexLookup[] => byField(list, scope, shape, VALUES, limit);

/** Plans the lookups that apply: by values, else by trigrams, else by bounds (`birthdate__gte=…`) and by groups and flags. */
export const planLookups = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  limit: number,
): readonly IndexLookup[] => {
  const values = byField(list, scope, shape, VALUES, limit);
  if (values.length > 0) return values;
  const index = list.indexes.find(({ kind }) => kind === 'gin');
  const isArray = (field: Field): boolean => list.fields[field].kind === 'groups';
  const filters = filtersWhere(
    shape,
    ({ field, operator }) =>
      index?.columns.includes(list.columns[field]) === true && (operator === 'eq' || isArray(field)),
  );
  const inverted: readonly IndexLookup[] = index ? [{ kind: 'index lookup and sort', index, filters, limit }] : [];
  if (shape.trigrams > 0 || shape.filters.some(({ hasTrigrams }) => hasTrigrams)) return inverted;
  return [...byField(list, scope, shape, BOUNDS, limit), ...(filters.length > 0 ? inverted : [])];
};

/** Returns the statement of an index lookup and sort. */
export const indexLookup = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  strategy: IndexLookup,
): Sql => {
  const met = checks(list, shape, [...shape.filters.keys()]);
  const read = lookedUp(list, scope, shape, strategy, sortedColumns(list, shape, met));
  return sortedPage(list, shape, { read, limit: strategy.limit });
};

/** Selects columns of the rows that a lookup finds. */
export const lookedUp = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { index, filters, limit }: IndexLookup,
  columns: Sql,
): Sql => {
  const isInverted = index.kind === 'gin';
  // As text, the division is in the inverted index alone, so PostgreSQL takes no other index.
  const inDivision = sql`${column('division_id')}::text = ${divisionId('text')}`;
  const where = [
    isInverted && scope !== 'all' ? inDivision : inScope(scope),
    ...(isInverted ? trigramConditions(list, shape) : []),
    ...filterConditions(list, shape, filters),
  ];
  return sql`select ${columns} from ${sql.table(list.table)} u where ${allOf(where)} limit ${sql.lit(limit + 1)}`;
};
