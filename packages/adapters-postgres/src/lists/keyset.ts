import { GROUPS, type ListField, type ListQuery, type ListValue, type Position } from '@chapter/domain';
import { allOf, anyOf, type Fragment, sql } from './fragment.ts';
import type { Columns } from './lists.ts';

/**
 * A stretch of the list in which rows are in the order of an index. A first field that can be null makes two of them,
 * because nulls come last in both directions and an index has them at one end.
 */
export interface Segment {
  readonly conditions: readonly Fragment[];
  readonly orderBy: string;
}

/** One step of the order in the direction of travel: with the place's value where there is a place. */
interface Step {
  readonly column: string;
  readonly cast: string;
  readonly descending: boolean;
  readonly nullable: boolean;
  readonly value: unknown;
}

const toValue = ({ kind }: ListField, value: ListValue | null): unknown =>
  kind === 'groups' && typeof value === 'string' ? Array.from(value, (rank) => GROUPS[Number(rank)]) : value;

const stepsOf = <Field extends string>(
  { fields, columns }: Columns<Field>,
  { order, position }: ListQuery<Field>,
): readonly Step[] =>
  order.map(({ field, descending }, at) => ({
    column: columns[field],
    cast: fields[field].kind === 'groups' ? '::member_group[]' : '',
    descending: descending !== (position?.side === 'before'),
    nullable: fields[field].nullable,
    value: toValue(fields[field], position?.values[at] ?? null),
  }));

const beyond = ({ descending }: Step): '<' | '>' => (descending ? '<' : '>');

const equal = ({ column, cast, value }: Step): Fragment =>
  value === null ? sql(`${column} is null`) : sql(`${column} = ?${cast}`, value);

/** Rows whose value of this step alone puts them behind the place; undefined when there can be none. */
const behind = (step: Step, nullsFirst: boolean, inclusive: boolean): Fragment | undefined => {
  const { column, cast, nullable, value } = step;
  if (value === null) return nullsFirst ? sql(`${column} is not null`) : undefined;
  const further = sql(`${column} ${beyond(step)}${inclusive ? '=' : ''} ?${cast}`, value);
  return nullable && !nullsFirst ? anyOf([further, sql(`${column} is null`)]) : further;
};

/** Rows behind the place that the steps' values are. */
const past = (steps: readonly Step[], { side, inclusive }: Position): readonly Fragment[] => {
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

/** The whole list as one stretch, in an order that no index has where a field can be null. */
export const wholeOf = <Field extends string>(list: Columns<Field>, query: ListQuery<Field>): Segment => {
  const { position } = query;
  const steps = stepsOf(list, query);
  return { conditions: position ? past(steps, position) : [], orderBy: orderBy(steps, position?.side === 'before') };
};

/** The stretches of a page in the direction of travel: backwards for a place that the page is in front of. */
export const segmentsOf = <Field extends string>(list: Columns<Field>, query: ListQuery<Field>): readonly Segment[] => {
  const { position } = query;
  const nullsFirst = position?.side === 'before';
  const [first, ...rest] = stepsOf(list, query);
  if (!first) return [];
  if (!first.nullable) return [wholeOf(list, query)];
  const steps = [{ ...first, nullable: false }, ...rest];
  const segment = (isNull: boolean): Segment => {
    const holdsPlace = position && (first.value === null) === isNull;
    const conditions = holdsPlace ? past(isNull ? rest : steps, position) : [];
    const nullness = sql(`${first.column} is ${isNull ? '' : 'not '}null`);
    return { conditions: [nullness, ...conditions], orderBy: orderBy(steps, nullsFirst) };
  };
  const [near, far] = [segment(nullsFirst), segment(!nullsFirst)];
  // A place in the far stretch leaves the near one behind.
  return position && (first.value === null) !== nullsFirst ? [far] : [near, far];
};
