import type { ListQuery, Operator, Order, Position } from '@chapter/domain';

/** A filter without its value; whether it asks for null or for anything else is not a value but a condition of its own. */
export interface FilterShape<Field extends string> {
  readonly field: Field;
  readonly operator: Operator | 'isnotnull';
}

/** What a query consists of beside its values: what decides the text of its statements. */
export interface Shape<Field extends string> {
  readonly filters: readonly FilterShape<Field>[];
  /** How many words are searched for, and where. */
  readonly words: number;
  readonly searched: readonly Field[];
  readonly order: readonly Order<Field>[];
  /** The place, of whose values is known which are null. */
  readonly position: (Omit<Position, 'values'> & { readonly nulls: readonly boolean[] }) | null;
}

/** The shape of a query. */
export const shapeOf = <Field extends string>(query: ListQuery<Field>): Shape<Field> => ({
  filters: query.filters.map((filter) => ({
    field: filter.field,
    operator: filter.operator === 'isnull' && !filter.value ? 'isnotnull' : filter.operator,
  })),
  words: query.words.length,
  searched: query.words.length > 0 ? query.searched : [],
  order: query.order,
  position: query.position && {
    side: query.position.side,
    inclusive: query.position.inclusive,
    nulls: query.position.values.map((value) => value === null),
  },
});
