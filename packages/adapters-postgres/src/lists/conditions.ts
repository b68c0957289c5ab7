import type { ListField } from '@chapter/domain';
import { type Asked, anyOf, type Fragment, sql, type ValueOf } from './fragment.ts';
import type { Columns } from './lists.ts';
import type { FilterShape, Shape } from './shape.ts';

const COMPARISONS = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
const LAST_CODE_POINT = 0x10_ff_ff;
/** Behind every stored text, for none is as long. */
const LAST = String.fromCodePoint(LAST_CODE_POINT).repeat(2049);

/** The first text, by code point, behind all stored ones that begin with the prefix. */
export const behindPrefix = (prefix: string): string => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return LAST;
  // Surrogates, which would come next, are in no text.
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
};

// What joins the parts of a search column is in no stored text: nothing has a word with it, and null is in nothing.
const sought = (word: string): string | null => (word.includes('\u0001') ? null : word);

/** A pattern for `like` in which `%`, `_` and `\` of the word are plain characters. */
const containing = (word: string): string | null => sought(word) && `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

// By its bytes, and not by `like`: an index of trigrams knows nothing of a short word, and would be read as a whole.
const contains = (column: string, word: ValueOf): Fragment => sql(`strpos(${column}, ?) > 0`, word);

/** What is asked for in the place of a filter, as text. */
export const filterText = ({ query }: Asked, at: number): string => String(query.filters[at]?.value);

const ofFilter = (column: string, { kind }: ListField, operator: FilterShape<string>['operator'], at: number) => {
  const value: ValueOf = ({ query }) => query.filters[at]?.value;
  const text = (asked: Asked) => filterText(asked, at);
  if (operator === 'isnull') return sql(`${column} is null`);
  if (operator === 'isnotnull') return sql(`${column} is not null`);
  if (kind === 'groups') return sql(`${column} && ?::member_group[]`, (asked) => [value(asked)].flat());
  if (operator === 'in') return sql(`${column} = any(?)`, value);
  // Unseen by the planner: else a plan for a rare flag looks cheaper than the one for both, and is made anew each time.
  if (kind === 'boolean') return sql(`${column} = (select ?::boolean)`, value);
  if (operator === 'icontains') return contains(column, (asked) => sought(text(asked)));
  if (operator === 'istartswith') {
    // A range rather than `like`: it finds its place in an index even in a plan made before the prefix is known.
    return sql(`(${column} >= ? and ${column} < ?)`, text, (asked) => behindPrefix(text(asked)));
  }
  return sql(`${column} ${COMPARISONS[operator]} ?`, value);
};

/** What a filter asks of a row. */
export const filterCondition = <Field extends string>(
  list: Columns<Field>,
  { filters }: Shape<Field>,
  at: number,
): Fragment => {
  const filter = filters[at];
  return filter ? ofFilter(list.columns[filter.field], list.fields[filter.field], filter.operator, at) : sql('true');
};

/** The columns that words are looked for in. */
export const searchedColumns = <Field extends string>(
  { columns, search }: Columns<Field>,
  { searched }: Shape<Field>,
): readonly string[] =>
  // What joins the fields in the search column keeps a word from being found across two of them.
  search?.fields.every((field) => searched.includes(field)) ? [search.column] : searched.map((field) => columns[field]);

/** What a word asks of a row. */
export const wordCondition = <Field extends string>(
  list: Columns<Field>,
  shape: Shape<Field>,
  at: number,
): Fragment => {
  const word: ValueOf = ({ query }) => sought(query.words[at] ?? '');
  return anyOf(searchedColumns(list, shape).map((column) => contains(column, word)));
};

/**
 * What words and filters ask of the search column, in the form that an index of trigrams knows. With `hidden`, the
 * planner does not look at the words, and takes them for rare: in the service they may be frequent, for all that.
 */
export const trigramConditions = <Field extends string>(
  { search }: Columns<Field>,
  { filters, trigrams }: Shape<Field>,
  hidden: boolean,
): readonly Fragment[] => {
  if (!search) return [];
  const texts: ((asked: Asked) => string)[] = [
    ...filters.flatMap(({ hasTrigrams }, at) => (hasTrigrams ? [(asked: Asked) => filterText(asked, at)] : [])),
    ...Array.from(
      { length: trigrams },
      (_, at) =>
        ({ query }: Asked) =>
          query.words[at] ?? '',
    ),
  ];
  const pattern = hidden ? '(select ?::text)' : '?';
  return texts.map((text) => sql(`${search.column} like ${pattern}`, (asked) => containing(text(asked))));
};
