import type { ListField } from '@chapter/domain';
import { type Asked, allOf, anyOf, type Fragment, sql, type ValueOf } from './fragment.ts';
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

/** A pattern for `like` in which `%`, `_` and `\` are plain characters; null, which matches nothing, where nothing can. */
const containing = (word: string): string | null =>
  // What joins the parts of a search column is in no stored text.
  word.includes('\u0001') ? null : `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

/** What is asked for in the place of a filter, as text. */
export const filterText = ({ query }: Asked, at: number): string => String(query.filters[at]?.value);

const ofFilter = (column: string, { kind }: ListField, operator: FilterShape<string>['operator'], at: number) => {
  const value: ValueOf = ({ query }) => query.filters[at]?.value;
  const text = (asked: Asked) => filterText(asked, at);
  if (operator === 'isnull') return sql(`${column} is null`);
  if (operator === 'isnotnull') return sql(`${column} is not null`);
  if (kind === 'groups') return sql(`${column} && ?::member_group[]`, (asked) => [value(asked)].flat());
  if (operator === 'in') return sql(`${column} = any(?)`, value);
  if (operator === 'icontains') return sql(`${column} like ?`, (asked) => containing(text(asked)));
  if (operator === 'istartswith') {
    // A range rather than `like`: it finds its place in an index even in a plan made before the prefix is known.
    return sql(`(${column} >= ? and ${column} < ?)`, text, (asked) => behindPrefix(text(asked)));
  }
  return sql(`${column} ${COMPARISONS[operator]} ?`, value);
};

const CONTAINED: ReadonlySet<string> = new Set(['eq', 'icontains', 'istartswith']);

/** Whether what passes the filter has its value within the search column. */
export const isContained = <Field extends string>(
  { search }: Columns<Field>,
  { field, operator }: FilterShape<Field>,
): boolean => search !== undefined && search.fields.includes(field) && CONTAINED.has(operator);

/** What a filter asks of a row. */
export const filterCondition = <Field extends string>(
  list: Columns<Field>,
  { filters }: Shape<Field>,
  at: number,
): Fragment => {
  const filter = filters[at];
  return filter ? ofFilter(list.columns[filter.field], list.fields[filter.field], filter.operator, at) : sql('true');
};

/** What a filter asks of the search column: less than of the row, but what a trigram index can tell. */
export const filterHint = <Field extends string>(
  list: Columns<Field>,
  { filters }: Shape<Field>,
  at: number,
): readonly Fragment[] => {
  const filter = filters[at];
  if (!filter || !list.search || !isContained(list, filter)) return [];
  return [sql(`${list.search.column} like ?`, (asked) => containing(filterText(asked, at)))];
};

/** What a word asks of a row. */
export const wordCondition = <Field extends string>(
  { columns, search }: Columns<Field>,
  { searched }: Shape<Field>,
  at: number,
): Fragment => {
  const pattern: ValueOf = ({ query }) => containing(query.words[at] ?? '');
  const inFields = () => anyOf(searched.map((field) => sql(`${columns[field]} like ?`, pattern)));
  if (!search) return inFields();
  const whole = sql(`${search.column} like ?`, pattern);
  // Where only some of its fields are searched, the column still leads to the rows that are worth a look.
  return search.fields.every((field) => searched.includes(field)) ? whole : allOf([whole, inFields()]);
};
