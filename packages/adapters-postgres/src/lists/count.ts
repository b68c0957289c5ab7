import { sql } from 'kysely';
import { type BoundedScan, planBoundedScan } from './bounded-scan.ts';
import { checks, filterConditions } from './conditions.ts';
import { type IndexLookup, planLookups, selectFoundRows } from './index-lookup.ts';
import { indexCondition, readAlongIndex } from './keyset.ts';
import { type ListScope, type ListTable, orderIndexes } from './list.ts';
import { LIMITS, type Limits } from './plan.ts';
import { isFixed, otherFilters, type Shape } from './shape.ts';
import { inScope, type Sql } from './statements.ts';

/** A strategy to count the matching rows. */
export type CountStrategy = BoundedScan | IndexLookup;

/**
 * Returns the shape with the order of the index that a count scans: an index whose range a filter bounds (the first such filter in
 * the query string), else the index of the default order. Without any condition, it is the smallest index, that of `id`, which is
 * the last field of every order.
 */
export const countedShape = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
): Shape<Field> => {
  const bounding = shape.filters.find(
    ({ field, operator }) =>
      operator !== 'in' &&
      operator !== 'icontains' &&
      !isFixed(list, scope, field) &&
      orderIndexes(list, scope, field).length > 0,
  );
  const isWhole = shape.filters.length === 0 && shape.words === 0;
  const by = (isWhole ? shape.order.at(-1) : bounding)?.field ?? list.defaultField;
  return { ...shape, order: [{ field: by, descending: false }], position: null };
};

/** Plans a count. Returns the strategies to try in order, each with a limit of rows. `shape` is a {@link countedShape}. */
export const planCount = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { small, large }: Limits = LIMITS,
): readonly CountStrategy[] => {
  const by = shape.order[0]?.field ?? list.defaultField;
  const scan = (limit: number): readonly BoundedScan[] => {
    // A count returns no columns.
    const strategy = planBoundedScan({ ...list, select: [] }, scope, shape, { by, match: 'exact' }, { limit });
    return strategy ? [strategy] : [];
  };
  const [whole] = scan(large);
  const isChecked = shape.words > 0 || otherFilters(shape, whole?.boundingFilters ?? []).length > 0;
  return isChecked ? [...scan(small), ...planLookups(list, scope, shape, large), ...scan(large)] : scan(large);
};

/** Returns the statement of a count. Its result is one row with the count and whether the limit is exceeded. */
export const count = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  strategy: CountStrategy,
): Sql => {
  const met = (positions: readonly number[]): Sql => sql`${checks(list, shape, positions)} as met`;
  const rows =
    strategy.kind === 'bounded scan'
      ? readAlongIndex(list, shape, {
          columns: met(otherFilters(shape, strategy.boundingFilters)),
          where: [
            inScope(scope),
            ...indexCondition(strategy.index),
            ...filterConditions(list, shape, strategy.boundingFilters),
          ],
          limit: strategy.limit + 1,
        })
      : selectFoundRows(list, scope, shape, strategy, met([...shape.filters.keys()]));
  return sql`select (count(*) filter (where met))::int, count(*) > ${sql.lit(strategy.limit)} from (${rows}) counted`;
};
