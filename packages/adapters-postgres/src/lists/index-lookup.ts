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

type IsServed<Field extends string> = (filter: FilterShape<Field>) => boolean;

const BOUNDS: readonly FilterShape<string>['operator'][] = ['lt', 'lte', 'gt', 'gte', 'isnull'];

const isValue: IsServed<string> = ({ operator }) => operator === 'eq' || operator === 'in';

/** Plans a lookup in the first declared index of a field whose filters pass `isServed`. The order of the filters does not matter. */
const lookupByField = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  limit: number,
  isServed: IsServed<Field>,
): readonly IndexLookup[] => {
  for (const index of list.indexes) {
    const filters = filtersWhere(
      shape,
      (filter) =>
        isServed(filter) &&
        !isFixed(list, scope, filter.field) &&
        orderIndexes(list, scope, filter.field)[0]?.index === index,
    );
    if (filters.length > 0) return [{ kind: 'index lookup and sort', index, filters, limit }];
  }
  return [];
};

/**
 * Plans the lookup that is tried before all scans: by the values of filters (`last_name=Berg`), which few rows have.
 * `planLookups` plans the same lookup with the large limit.
 */
export const planValueLookup = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  limit: number,
): readonly IndexLookup[] => lookupByField(list, scope, shape, limit, isValue);

/**
 * Plans the lookups that apply: by values, else by trigrams, else up to three others. These are tried in this order:
 *
 * 1. by a prefix (`username__istartswith=qu`), because all rows that it finds have the prefix;
 * 2. by indexed characters, which usually fewer rows have than meet a bound;
 * 3. by bounds (`birthdate__gte=…`);
 * 4. by groups and flags, if there are no indexed characters. The inverted index compares all of its parts at once, so
 *    lookups by trigrams or characters also compare groups and flags.
 */
export const planLookups = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  limit: number,
): readonly IndexLookup[] => {
  const values = lookupByField(list, scope, shape, limit, isValue);
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
  // The scans already read only the range of the first field of the order.
  const byRange = (operators: typeof BOUNDS): readonly IndexLookup[] =>
    lookupByField(
      list,
      scope,
      shape,
      limit,
      ({ field, operator }) => operators.includes(operator) && field !== shape.order[0]?.field,
    );
  return [
    ...byRange(['istartswith']),
    ...(shape.hasCharacters ? inverted : []),
    ...byRange(BOUNDS),
    ...(!shape.hasCharacters && filters.length > 0 ? inverted : []),
  ];
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
