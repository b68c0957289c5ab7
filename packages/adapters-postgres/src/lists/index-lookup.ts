import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import { checks, filterConditions, lookupConditions } from './conditions.ts';
import { hasAtMost, sortedColumns, sortedPage } from './full-sort.ts';
import { orderIndexes } from './list.ts';
import { type FilterPositions, type FilterShape, filtersWhere, isFixed, matchOrder, type Shape } from './shape.ts';
import { allOf, column, divisionId, inList, type Sql } from './statements.ts';

/**
 * Index lookup and sort: finds rows that meet some conditions with an index other than that of the order, checks all
 * conditions on each found row, and sorts the matching rows.
 *
 * - Applies if a filter compares an indexed field, or if words or filters have parts that the inverted index contains: trigrams
 *   of ASCII letters and digits, indexed characters, groups, flags.
 * - Reads up to `limit` + 1 found rows, including those that do not match and those before the cursor. It sorts only matching
 *   rows after the cursor. An inverted index first reads its entries: for each condition, at most one per row of the table,
 *   including rows of other divisions. If the bitmap of found rows does not fit into `work_mem`, PostgreSQL also reads the other
 *   rows in their blocks.
 * - Is correct because all matching rows are found. If more than `limit` rows are found, the result is only a limit row.
 */
export interface IndexLookup {
  readonly kind: 'index lookup and sort';
  readonly index: Index;
  /** The filters that the index serves. Each found row is checked against all filters. */
  readonly servedFilters: FilterPositions;
  readonly limit: number;
}

type IsServed = (filter: FilterShape) => boolean;

const BOUNDS: readonly FilterShape['operator'][] = ['lt', 'lte', 'gt', 'gte', 'isnull'];

const isValue: IsServed = ({ operator }) => operator === 'eq' || operator === 'in';

/** Plans a lookup with the first declared index of a field whose filters pass `isServed`. The order of filters has no effect. */
const lookupByField = (shape: Shape, limit: number, isServed: IsServed): readonly IndexLookup[] => {
  const { list } = shape;
  for (const index of list.indexes) {
    const servedFilters = filtersWhere(
      shape,
      (filter) =>
        isServed(filter) && !isFixed(list, filter.column) && orderIndexes(list, filter.column)[0]?.index === index,
    );
    if (servedFilters.length > 0) return [{ kind: 'index lookup and sort', index, servedFilters, limit }];
  }
  return [];
};

/**
 * Plans the lookup that is tried before all scans: by the values of filters (`last_name=Berg`), which few rows have.
 * `planLookups` plans the same lookup with the large limit.
 */
export const planValueLookup = (shape: Shape, limit: number): readonly IndexLookup[] =>
  lookupByField(shape, limit, isValue);

/**
 * Plans the lookups that apply: by values, else by trigrams, else up to three others. These are tried in this order:
 *
 * 1. by a prefix (`username__istartswith=qu`), because all rows that it finds have the prefix;
 * 2. by indexed characters, which usually fewer rows have than meet a bound;
 * 3. by bounds (`birthdate__gte=…`);
 * 4. by groups and flags, if there are no indexed characters. The inverted index compares all of its parts at once, so
 *    lookups by trigrams or characters also compare groups and flags.
 */
export const planLookups = (shape: Shape, limit: number): readonly IndexLookup[] => {
  const values = lookupByField(shape, limit, isValue);
  if (values.length > 0) return values;
  const index = shape.list.indexes.find(({ kind }) => kind === 'gin');
  // These are equality with flags, and membership of groups. No other column of the index is the plain column of a field.
  const servedFilters = filtersWhere(
    shape,
    ({ column: { name, kind }, operator }) =>
      index?.columns.includes(name) === true && (operator === 'eq' || kind === 'groups'),
  );
  const inverted: readonly IndexLookup[] = index
    ? [{ kind: 'index lookup and sort', index, servedFilters, limit }]
    : [];
  if (shape.hasTrigrams) return inverted;
  // The scans already read only the range of this field.
  const { by } = matchOrder(shape);
  const byRange = (operators: typeof BOUNDS): readonly IndexLookup[] =>
    lookupByField(shape, limit, (filter) => operators.includes(filter.operator) && filter.column !== by);
  return [
    ...byRange(['istartswith']),
    ...(shape.hasCharacters ? inverted : []),
    ...byRange(BOUNDS),
    ...(!shape.hasCharacters && servedFilters.length > 0 ? inverted : []),
  ];
};

/** Returns the statement of an index lookup and sort. */
export const indexLookup = (shape: Shape, strategy: IndexLookup): Sql => {
  const met = checks(shape, [...shape.filters.keys()]);
  const read = selectFoundRows(shape, strategy, sortedColumns(shape, met));
  return sortedPage(shape, { read, isWhole: hasAtMost(strategy.limit) });
};

/** Returns a statement that selects `columns` of the found rows, up to one more than the limit. */
export const selectFoundRows = (shape: Shape, { index, servedFilters, limit }: IndexLookup, columns: Sql): Sql => {
  const { list } = shape;
  const isInverted = index.kind === 'gin';
  // Only the inverted index has the division as text, so no other index can serve this condition.
  const inDivision = sql`${column('division_id')}::text = ${divisionId('text')}`;
  const where = [
    isInverted && list.isOfDivision ? inDivision : inList(list),
    ...(isInverted ? lookupConditions(shape) : []),
    ...filterConditions(shape, servedFilters),
  ];
  return sql`select ${columns} from ${sql.table(list.table)} u where ${allOf(where)} limit ${sql.lit(limit + 1)}`;
};
