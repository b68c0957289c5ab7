import { GROUPS, type ListField, type ListValue } from '@chapter/domain';
import { allOf, anyOf, type Fragment, sql, type ValueOf } from './fragment.ts';
import type { Columns } from './lists.ts';
import type { Shape } from './shape.ts';

/**
 * A stretch of the list in which rows are in the order of an index. A first field that can be null makes two of them,
 * because nulls come last in both directions and an index has them at one end.
 */
export interface Segment {
  readonly conditions: readonly Fragment[];
  readonly orderBy: string;
}

/** One step of the order in the direction of travel, with what the place has there where there is a place. */
interface Step {
  readonly column: string;
  readonly cast: string;
  readonly descending: boolean;
  readonly nullable: boolean;
  readonly isNull: boolean;
  readonly value: ValueOf;
}

const toValue = ({ kind }: ListField, value: ListValue | null): unknown =>
  kind === 'groups' && typeof value === 'string' ? Array.from(value, (rank) => GROUPS[Number(rank)]) : value;

const stepsOf = <Field extends string>(
  { fields, columns }: Columns<Field>,
  { order, position }: Shape<Field>,
): readonly Step[] =>
  order.map(({ field, descending }, at) => ({
    column: columns[field],
    cast: fields[field].kind === 'groups' ? '::member_group[]' : '',
    descending: descending !== (position?.side === 'before'),
    nullable: fields[field].nullable,
    isNull: position?.nulls[at] ?? true,
    value: ({ query }) => toValue(fields[field], query.position?.values[at] ?? null),
  }));

const beyond = ({ descending }: Step): '<' | '>' => (descending ? '<' : '>');

const equal = ({ column, cast, isNull, value }: Step): Fragment =>
  isNull ? sql(`${column} is null`) : sql(`${column} = ?${cast}`, value);

/** Rows whose value of this step alone puts them behind the place; undefined when there can be none. */
const behind = (step: Step, nullsFirst: boolean, inclusive: boolean): Fragment | undefined => {
  const { column, cast, nullable, isNull, value } = step;
  if (isNull) return nullsFirst ? sql(`${column} is not null`) : undefined;
  const further = sql(`${column} ${beyond(step)}${inclusive ? '=' : ''} ?${cast}`, value);
  return nullable && !nullsFirst ? anyOf([further, sql(`${column} is null`)]) : further;
};

type Place = NonNullable<Shape<string>['position']>;

/** Rows behind the place that the steps' values are. */
const past = (steps: readonly Step[], { side, inclusive }: Place): readonly Fragment[] => {
  const [first] = steps;
  if (!first) return [];
  if (steps.every((step) => !step.nullable && step.descending === first.descending)) {
    const columns = steps.map(({ column }) => column).join(', ');
    const places = steps.map(({ cast }) => `?${cast}`).join(', ');
    const comparison = `(${columns}) ${beyond(first)}${inclusive ? '=' : ''} (${places})`;
    return [sql(comparison, ...steps.map(({ value }) => value))];
  }
  const alternatives = steps.flatMap((step, at) => {
    const further = behind(step, side === 'before', inclusive && at === steps.length - 1);
    return further ? [allOf([...steps.slice(0, at).map(equal), further])] : [];
  });
  // What all alternatives have in common is said once more in a form that finds its place in an index.
  const bound = first.nullable ? [] : [sql(`${first.column} ${beyond(first)}= ?${first.cast}`, first.value)];
  return [...bound, anyOf(alternatives)];
};

const orderBy = (steps: readonly Step[], nullsFirst: boolean): string =>
  steps
    .map(({ column, descending, nullable }) => {
      const nulls = nullable ? ` nulls ${nullsFirst ? 'first' : 'last'}` : '';
      return `${column} ${descending ? 'desc' : 'asc'}${nulls}`;
    })
    .join(', ');

/** The whole list as one stretch, in an order that no index has where its first field can be null. */
export const wholeOf = <Field extends string>(list: Columns<Field>, shape: Shape<Field>): Segment => {
  const steps = stepsOf(list, shape);
  const { position } = shape;
  return { conditions: position ? past(steps, position) : [], orderBy: orderBy(steps, position?.side === 'before') };
};

/** The stretches of a page in the direction of travel: backwards for a place that the page is in front of. */
export const segmentsOf = <Field extends string>(list: Columns<Field>, shape: Shape<Field>): readonly Segment[] => {
  const { position } = shape;
  const nullsFirst = position?.side === 'before';
  const [first, ...rest] = stepsOf(list, shape);
  if (!first?.nullable) return [wholeOf(list, shape)];
  const steps = [{ ...first, nullable: false }, ...rest];
  const segment = (isNull: boolean): Segment => {
    const holdsPlace = position && first.isNull === isNull;
    const conditions = holdsPlace ? past(isNull ? rest : steps, position) : [];
    const nullness = sql(`${first.column} is ${isNull ? '' : 'not '}null`);
    return { conditions: [nullness, ...conditions], orderBy: orderBy(steps, nullsFirst) };
  };
  const [near, far] = [segment(nullsFirst), segment(!nullsFirst)];
  // A place in the far stretch leaves the near one behind.
  return position && first.isNull !== nullsFirst ? [far] : [near, far];
};
