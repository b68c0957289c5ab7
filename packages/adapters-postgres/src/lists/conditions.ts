import type { Filter, ListField, ListQuery } from '@chapter/domain';
import { allOf, anyOf, type Fragment, sql } from './fragment.ts';
import type { Columns } from './lists.ts';

const COMPARISONS = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/** Three such characters in a row are in a trigram index, whatever the database's locale takes for a letter. */
export const TRIGRAM = /[a-z0-9]{3}/;

const LAST_CODE_POINT = 0x10_ff_ff;

/** The first text, by code point, behind all that begin with the prefix; null when there is none. */
export const behindPrefix = (prefix: string): string | null => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return null;
  // Surrogates, which would come next, are in no text.
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
};

const startsWith = (column: string, prefix: string): Fragment => {
  const end = behindPrefix(prefix);
  // A range rather than `like`: it finds its place in an index even in a plan made before the prefix is known.
  return end === null ? sql(`${column} >= ?`, prefix) : sql(`(${column} >= ? and ${column} < ?)`, prefix, end);
};

/** A pattern for `like` in which `%`, `_` and `\` of the word are plain characters. */
const containing = (word: string): string => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;

const condition = (column: string, { kind }: ListField, filter: Filter<string>): Fragment => {
  if (filter.operator === 'isnull') return sql(`${column} is ${filter.value ? '' : 'not '}null`);
  if (kind === 'groups') {
    const wanted = filter.operator === 'in' ? filter.value : [filter.value];
    return sql(`${column} && ?::member_group[]`, wanted);
  }
  if (filter.operator === 'in') return sql(`${column} = any(?)`, filter.value);
  if (filter.operator === 'icontains') return sql(`${column} like ?`, containing(String(filter.value)));
  if (filter.operator === 'istartswith') return startsWith(column, String(filter.value));
  return sql(`${column} ${COMPARISONS[filter.operator]} ?`, filter.value);
};

/** What the trigram index knows of a text that is part of one of its fields; nothing where it has no trigram. */
const inSearch = <Field extends string>(
  { search }: Columns<Field>,
  { field, operator, value }: Filter<Field>,
): readonly Fragment[] =>
  search?.fields.includes(field) && operator === 'icontains' && TRIGRAM.test(String(value))
    ? [sql(`${search.column} like ?`, containing(String(value)))]
    : [];

const found = <Field extends string>(list: Columns<Field>, searched: readonly Field[], word: string): Fragment => {
  const { columns, search } = list;
  // What joins the parts of the search column is in no stored text.
  if (word.includes('\u0001')) return sql('false');
  const pattern = containing(word);
  const inFields = () => anyOf(searched.map((field) => sql(`${columns[field]} like ?`, pattern)));
  if (!search) return inFields();
  const whole = sql(`${search.column} like ?`, pattern);
  // Where only some of its fields are searched, the column still leads to the rows that are worth a look.
  return search.fields.every((field) => searched.includes(field)) ? whole : allOf([whole, inFields()]);
};

/** What the filters and the words of a query ask of a row. */
export const conditionsOf = <Field extends string>(
  list: Columns<Field>,
  { filters, words, searched }: ListQuery<Field>,
): readonly Fragment[] => [
  ...filters.flatMap((filter) => [
    ...inSearch(list, filter),
    condition(list.columns[filter.field], list.fields[filter.field], filter),
  ]),
  ...words.map((word) => found(list, searched, word)),
];
