import { GROUPS, type ListValue } from '@chapter/domain/ports';
import { sql } from 'kysely';
import { filterConditions } from './conditions.ts';
import type { ListColumn } from './list.ts';
import type { IndexRange, Shape } from './shape.ts';
import { allOf, column, inList, parameter, type Sql, someOf } from './statements.ts';

/**
 * A range of an index, read in one direction. Its entries are in the order of reading, which is that of the page, or
 * for a page before the cursor its reverse.
 */
export interface KeysetRange {
  readonly conditions: readonly Sql[];
  readonly orderBy: Sql;
}

/** A field of the order, with the direction of reading and the value in the cursor. */
interface Step {
  readonly column: Sql;
  readonly value: Sql;
  readonly descending: boolean;
  readonly nullable: boolean;
  /** Whether the value in the cursor is null. Not used without a cursor. */
  readonly isNull: boolean;
}

type Cursor = NonNullable<Shape['position']>;

const toStored = ({ kind }: ListColumn, value: ListValue | null): unknown =>
  kind === 'groups' && typeof value === 'string' ? Array.from(value, (rank) => GROUPS[Number(rank)]) : value;

const stepsOf = ({ order, position }: Shape): readonly Step[] =>
  order.map(({ column: stored, descending, at, isNull }) => {
    const value = parameter(({ query }) => toStored(stored, query.position?.values[at] ?? null));
    return {
      column: column(stored.name),
      value: stored.kind === 'groups' ? sql`${value}::member_group[]` : value,
      // A page before the cursor is read backwards.
      descending: descending !== (position?.side === 'before'),
      nullable: stored.nullable,
      isNull,
    };
  });

const comparison = ({ descending }: Step, orEqual: boolean): Sql =>
  sql.raw(`${descending ? '<' : '>'}${orEqual ? '=' : ''}`);

const isEqual = (step: Step): Sql => (step.isNull ? sql`${step.column} is null` : sql`${step.column} = ${step.value}`);

/** Returns the condition for rows that this field places after the cursor, or undefined if no such row can exist. */
const isAfter = (step: Step, nullsFirst: boolean, orEqual: boolean): Sql | undefined => {
  if (step.isNull) return nullsFirst ? sql`${step.column} is not null` : undefined;
  const after = sql`${step.column} ${comparison(step, orEqual)} ${step.value}`;
  return step.nullable && !nullsFirst ? someOf([after, sql`${step.column} is null`]) : after;
};

/**
 * Returns the conditions for rows after the cursor. Nulls are last, or first if the page is read backwards.
 * `isFiltered` is true if a filter compares the first field.
 */
const afterCursor = (steps: readonly Step[], { side, inclusive }: Cursor, isFiltered: boolean): readonly Sql[] => {
  const [first] = steps;
  if (!first) return [];
  // All rows after the cursor meet this bound. An index scan can start at it.
  const bound = first.nullable ? [] : [sql`${first.column} ${comparison(first, true)} ${first.value}`];
  if (steps.every((step) => !step.nullable && step.descending === first.descending)) {
    const columns = sql.join(steps.map((step) => step.column));
    const values = sql.join(steps.map((step) => step.value));
    const rowComparison = sql`(${columns}) ${comparison(first, inclusive)} (${values})`;
    // PostgreSQL starts either at the row comparison, or at a comparison of the first field. With a filter, `bound`
    // makes sure that this is not far before the cursor: of the filter and `bound`, PostgreSQL takes the narrower one.
    // Without a filter, `bound` could only make it start too early, at the first row that shares the cursor's value.
    return isFiltered ? [...bound, rowComparison] : [rowComparison];
  }
  const alternatives = steps.flatMap((step, at) => {
    const after = isAfter(step, side === 'before', inclusive && at === steps.length - 1);
    return after ? [allOf([...steps.slice(0, at).map(isEqual), after])] : [];
  });
  return [...bound, someOf(alternatives)];
};

const isFirstFiltered = ({ filters, order }: Shape): boolean =>
  filters.some((filter) => filter.column === order[0]?.column);

const orderByOf = (steps: readonly Step[], nullsFirst: boolean): Sql =>
  sql.join(
    steps.map(({ column: stored, descending, nullable }) => {
      const nulls = nullable ? ` nulls ${nullsFirst ? 'first' : 'last'}` : '';
      return sql`${stored} ${sql.raw((descending ? 'desc' : 'asc') + nulls)}`;
    }),
  );

/** Returns the conditions for all rows after the cursor, and the order, for a statement that sorts. */
export const keyset = (shape: Shape): KeysetRange => {
  const steps = stepsOf(shape);
  const { position } = shape;
  return {
    conditions: position ? afterCursor(steps, position, isFirstFiltered(shape)) : [],
    orderBy: orderByOf(steps, position?.side === 'before'),
  };
};

/**
 * Returns the ranges of the order's index in the order of reading. If the first field can be null, there are two
 * ranges: the index stores nulls at one end, but lists show them last in both directions.
 */
const rangesOf = (shape: Shape): readonly KeysetRange[] => {
  const { position } = shape;
  const nullsFirst = position?.side === 'before';
  const [first, ...rest] = stepsOf(shape);
  if (!first?.nullable) return [keyset(shape)];
  const steps = [{ ...first, nullable: false }, ...rest];
  const range = (isNull: boolean): KeysetRange => {
    const hasCursor = position && first.isNull === isNull;
    const after = hasCursor ? afterCursor(isNull ? rest : steps, position, !isNull && isFirstFiltered(shape)) : [];
    const nullness = sql`${first.column} is ${sql.raw(isNull ? 'null' : 'not null')}`;
    return { conditions: [nullness, ...after], orderBy: orderByOf(steps, nullsFirst) };
  };
  const [firstRead, secondRead] = [range(nullsFirst), range(!nullsFirst)];
  // If the cursor is in the second range, reading starts there.
  return position && first.isNull !== nullsFirst ? [secondRead] : [firstRead, secondRead];
};

/** Returns a statement that reads up to `limit` rows of an index range in the order of reading, starting at the cursor. */
export const readRange = (shape: Shape, { index, boundingFilters }: IndexRange, columns: Sql, limit: number): Sql => {
  const { list } = shape;
  // PostgreSQL uses a partial index only for statements that contain its condition.
  const indexCondition = index.condition === undefined ? [] : [sql.raw(index.condition)];
  const where = [inList(list), ...indexCondition, ...filterConditions(shape, boundingFilters)];
  const [first, second] = rangesOf(shape).map(
    ({ conditions, orderBy }) =>
      sql`select ${columns} from ${sql.table(list.table)} u where ${allOf([...where, ...conditions])}
        order by ${orderBy} limit ${sql.lit(limit)}`,
  );
  if (!first) throw new Error('an order has at least one range');
  // Parallel workers are disabled (see `options.ts`), so the rows stay in this order.
  return second ? sql`(${first}) union all (${second}) limit ${sql.lit(limit)}` : first;
};
