import { sql } from 'kysely';
import { type BoundedScan, planBoundedScan } from './bounded-scan.ts';
import { checks, filterConditions } from './conditions.ts';
import { type IndexLookup, lookedUp, planLookups } from './index-lookup.ts';
import { alongIndex, indexCondition } from './keyset.ts';
import { isFixed, type ListScope, type ListTable, orderIndexes } from './list.ts';
import { LIMITS, type Limits } from './plan.ts';
import { otherFilters, type Shape } from './shape.ts';
import { inScope, type Sql } from './statements.ts';

/** A way to count the rows of a list that meet all conditions, as data. */
export type CountStrategy = BoundedScan | IndexLookup;

/**
 * Returns the shape in the order of the index that a count reads: a count has no order. It is the one whose range a filter bounds,
 * else the default one; without any condition, the smallest, that of `id`.
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

/** Plans a count: returns the strategies to try in turn, each with a bound of rows. `shape` is a {@link countedShape}. */
export const planCount = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  { small, large }: Limits = LIMITS,
): readonly CountStrategy[] => {
  const by = shape.order[0]?.field ?? list.defaultField;
  const scan = (limit: number): readonly CountStrategy[] => {
    // A count shows no column.
    const strategy = planBoundedScan({ ...list, select: [] }, scope, shape, { by, match: 'exact' }, { limit });
    return strategy ? [strategy] : [];
  };
  const [whole] = scan(large);
  const isChecked = shape.words > 0 || otherFilters(shape, whole?.filters ?? []).length > 0;
  return isChecked ? [...scan(small), ...planLookups(list, scope, shape, large), ...scan(large)] : scan(large);
};

/** Returns the statement of a count: one row with the count, and whether the statement reached its limit. */
export const count = <Field extends string>(
  list: ListTable<Field>,
  scope: ListScope,
  shape: Shape<Field>,
  strategy: CountStrategy,
): Sql => {
  const met = (places: readonly number[]): Sql => sql`${checks(list, shape, places)} as met`;
  const rows =
    strategy.kind === 'bounded scan'
      ? alongIndex(list, shape, {
          columns: met(otherFilters(shape, strategy.filters)),
          where: [
            inScope(scope),
            ...indexCondition(strategy.index),
            ...filterConditions(list, shape, strategy.filters),
          ],
          limit: strategy.limit + 1,
        })
      : lookedUp(list, scope, shape, strategy, met([...shape.filters.keys()]));
  return sql`select (count(*) filter (where met))::int, count(*) > ${sql.lit(strategy.limit)} from (${rows}) counted`;
};
