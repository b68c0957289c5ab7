import { GROUPS, type ListField, type ListValue } from '@chapter/domain';
import { sql } from 'kysely';
import type { Index } from '../schema/indexes.ts';
import type { ListTable } from './list.ts';
import type { Shape } from './shape.ts';
import { allOf, anyOf, column, parameter, type Sql } from './statements.ts';

/** A range of an index in the direction of reading, in which the order of the entries is the order of the page. */
export interface KeysetRange {
  readonly conditions: readonly Sql[];
  readonly orderBy: Sql;
}

/** A field of the order in the direction of reading, with its value in the cursor. */
interface Step {
  readonly column: Sql;
  readonly value: Sql;
  readonly descending: boolean;
  readonly nullable: boolean;
  readonly isNull: boolean;
}

type Cursor = NonNullable<Shape<string>['position']>;

const toStored = ({ kind }: ListField, value: ListValue | null): unknown =>
  kind === 'groups' && typeof value === 'string' ? Array.from(value, (rank) => GROUPS[Number(rank)]) : value;

const stepsOf = <Field extends string>(
  { fields, columns }: ListTable<Field>,
  { order, position }: Shape<Field>,
): readonly Step[] =>
  order.map(({ field, descending }, at) => {
    const value = parameter(({ query }) => toStored(fields[field], query.position?.values[at] ?? null));
    return {
      column: column(columns[field]),
      value: fields[field].kind === 'groups' ? sql`${value}::member_group[]` : value,
      // A page before the cursor is read backwards.
      descending: descending !== (position?.side === 'before'),
      nullable: fields[field].nullable,
      isNull: position?.nulls[at] ?? true,
    };
  });

const comparison = ({ descending }: Step, orEqual: boolean): Sql =>
  sql.raw(`${descending ? '<' : '>'}${orEqual ? '=' : ''}`);

const isEqual = (step: Step): Sql => (step.isNull ? sql`${step.column} is null` : sql`${step.column} = ${step.value}`);

/** Rows that this field alone puts after the cursor; undefined when there can be none. */
const isAfter = (step: Step, nullsFirst: boolean, orEqual: boolean): Sql | undefined => {
  if (step.isNull) return nullsFirst ? sql`${step.column} is not null` : undefined;
  const after = sql`${step.column} ${comparison(step, orEqual)} ${step.value}`;
  return step.nullable && !nullsFirst ? anyOf([after, sql`${step.column} is null`]) : after;
};

/** Rows after the cursor. Nulls are last, or first when the page is read backwards. */
const afterCursor = (steps: readonly Step[], { side, inclusive }: Cursor): readonly Sql[] => {
  const [first] = steps;
  if (!first) return [];
  if (steps.every((step) => !step.nullable && step.descending === first.descending)) {
    const columns = sql.join(steps.map((step) => step.column));
    const values = sql.join(steps.map((step) => step.value));
    return [sql`(${columns}) ${comparison(first, inclusive)} (${values})`];
  }
  const alternatives = steps.flatMap((step, at) => {
    const after = isAfter(step, side === 'before', inclusive && at === steps.length - 1);
    return after ? [allOf([...steps.slice(0, at).map(isEqual), after])] : [];
  });
  // All alternatives imply this bound, and only in this form an index scan starts at it.
  const bound = first.nullable ? [] : [sql`${first.column} ${comparison(first, true)} ${first.value}`];
  return [...bound, anyOf(alternatives)];
};

const orderByOf = (steps: readonly Step[], nullsFirst: boolean): Sql =>
  sql.join(
    steps.map(({ column: stored, descending, nullable }) => {
      const nulls = nullable ? ` nulls ${nullsFirst ? 'first' : 'last'}` : '';
      return sql`${stored} ${sql.raw((descending ? 'desc' : 'asc') + nulls)}`;
    }),
  );

/** Returns the whole list after the cursor, for a statement that sorts. */
export const keyset = <Field extends string>(list: ListTable<Field>, shape: Shape<Field>): KeysetRange => {
  const steps = stepsOf(list, shape);
  const { position } = shape;
  return {
    conditions: position ? afterCursor(steps, position) : [],
    orderBy: orderByOf(steps, position?.side === 'before'),
  };
};

/**
 * Returns the ranges of the order's index, one after the other. A first field that can be null makes two of them: nulls are last
 * in both directions, but at one end of the index.
 */
const rangesOf = <Field extends string>(list: ListTable<Field>, shape: Shape<Field>): readonly KeysetRange[] => {
  const { position } = shape;
  const nullsFirst = position?.side === 'before';
  const [first, ...rest] = stepsOf(list, shape);
  if (!first?.nullable) return [keyset(list, shape)];
  const steps = [{ ...first, nullable: false }, ...rest];
  const range = (isNull: boolean): KeysetRange => {
    const hasCursor = position && first.isNull === isNull;
    const after = hasCursor ? afterCursor(isNull ? rest : steps, position) : [];
    const nullness = sql`${first.column} is ${sql.raw(isNull ? 'null' : 'not null')}`;
    return { conditions: [nullness, ...after], orderBy: orderByOf(steps, nullsFirst) };
  };
  const [near, far] = [range(nullsFirst), range(!nullsFirst)];
  // A cursor in the second range is after all of the first.
  return position && first.isNull !== nullsFirst ? [far] : [near, far];
};

/** Reads up to `limit` rows along the index of the order, starting at the cursor. */
export const alongIndex = <Field extends string>(
  { table, ...list }: ListTable<Field>,
  shape: Shape<Field>,
  { columns, where, limit }: { readonly columns: Sql; readonly where: readonly Sql[]; readonly limit: number },
): Sql => {
  const [near, far] = rangesOf({ table, ...list }, shape).map(
    ({ conditions, orderBy }) =>
      sql`select ${columns} from ${sql.table(table)} u where ${allOf([...where, ...conditions])}
        order by ${orderBy} limit ${sql.lit(limit)}`,
  );
  if (!near) throw new Error('a list has at least one range');
  // No worker runs in parallel (see `session-settings.ts`), so the rows stay in this order.
  return far ? sql`(${near}) union all (${far}) limit ${sql.lit(limit)}` : near;
};

/** The condition that a statement has to state for PostgreSQL to use an index that has one. */
export const indexCondition = ({ condition }: Index): readonly Sql[] =>
  condition === undefined ? [] : [sql.raw(condition)];
