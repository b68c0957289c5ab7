import { sql } from 'kysely';
import type { ListTable } from './list.ts';
import { type FilterPlaces, type Shape, searchedColumns } from './shape.ts';
import { allOf, anyOf, column, type ListInput, parameter, type Sql } from './statements.ts';

const COMPARISONS = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
const LAST_CODE_POINT = 0x10_ff_ff;
/** A text after every stored one: no stored text is as long. */
const LAST_TEXT = String.fromCodePoint(LAST_CODE_POINT).repeat(2049);

/** Returns the first text, by code point, after all stored texts with a prefix. */
export const afterPrefix = (prefix: string): string => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return LAST_TEXT;
  // Surrogates, which would come next, are in no text.
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
};

// The search column joins its parts with U+0001. A word with it matches nothing: null is in no text.
const searchable = (word: string): string | null => (word.includes('\u0001') ? null : word);

const filterText = ({ query }: ListInput, at: number): string => String(query.filters[at]?.value);

const wordText = ({ query }: ListInput, at: number): string => query.words[at] ?? '';

// strpos compares bytes. LIKE could make PostgreSQL read the whole index of trigrams for a short word.
const contains = (name: string, textFrom: (input: ListInput) => string): Sql =>
  sql`strpos(${column(name)}, ${parameter((input) => searchable(textFrom(input)))}) > 0`;

/** Returns the condition of a filter, by its place in the query. */
const filterCondition = <Field extends string>(list: ListTable<Field>, { filters }: Shape<Field>, at: number): Sql => {
  const filter = filters[at];
  if (!filter) return sql`true`;
  const { kind } = list.fields[filter.field];
  const name = list.columns[filter.field];
  const stored = column(name);
  const value = parameter(({ query }) => query.filters[at]?.value);
  const { operator } = filter;
  if (operator === 'isnull') return sql`${stored} is null`;
  if (operator === 'isnotnull') return sql`${stored} is not null`;
  if (operator === 'icontains') return contains(name, (input) => filterText(input, at));
  if (operator === 'istartswith') {
    // A range, not LIKE: a plan for all values can use an index for it.
    const end = parameter((input) => afterPrefix(filterText(input, at)));
    return sql`(${stored} >= ${value} and ${stored} < ${end})`;
  }
  if (kind === 'groups') {
    const groups = parameter(({ query }) => [query.filters[at]?.value].flat());
    return sql`${stored} && ${groups}::member_group[]`;
  }
  if (operator === 'in') return sql`${stored} = any(${value})`;
  // Hidden from the planner, so that one plan serves frequent and rare values.
  if (kind === 'boolean') return sql`${stored} = (select ${value}::boolean)`;
  return sql`${stored} ${sql.raw(COMPARISONS[operator])} ${value}`;
};

/** Returns the conditions of some filters. */
export const filterConditions = <Field extends string>(
  list: ListTable<Field>,
  shape: Shape<Field>,
  places: FilterPlaces,
): readonly Sql[] => places.map((at) => filterCondition(list, shape, at));

/** Returns the conditions of some filters and of all words as one condition. */
export const checks = <Field extends string>(
  list: ListTable<Field>,
  shape: Shape<Field>,
  places: FilterPlaces,
): Sql => {
  const columns = searchedColumns(list, shape);
  const words = Array.from({ length: shape.words }, (_, at) =>
    anyOf(columns.map((name) => contains(name, (input) => wordText(input, at)))),
  );
  return allOf([...filterConditions(list, shape, places), ...words]);
};

/** A pattern for LIKE in which `%`, `_` and `\` of the text are ordinary characters. */
const likePattern = (text: string): string | null =>
  searchable(text) && `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** Returns the conditions on the search column that the index of trigrams can find, hidden from the planner. */
export const trigramConditions = <Field extends string>(
  { search }: ListTable<Field>,
  { filters, trigrams }: Shape<Field>,
): readonly Sql[] => {
  const texts: ((input: ListInput) => string)[] = [
    ...filters.flatMap(({ hasTrigrams }, at) => (hasTrigrams ? [(input: ListInput) => filterText(input, at)] : [])),
    ...Array.from({ length: trigrams }, (_, at) => (input: ListInput) => wordText(input, at)),
  ];
  return texts.map(
    (textFrom) =>
      sql`${column(search.column)} like (select ${parameter((input) => likePattern(textFrom(input)))}::text)`,
  );
};
