import { sql } from 'kysely';
import { charactersOf } from '../schema/indexes.ts';
import {
  containedTexts,
  type FilterPositions,
  indexedCharactersOf,
  type ListInput,
  type Shape,
  trigramsOf,
} from './shape.ts';
import { allOf, column, parameter, type Sql, someOf } from './statements.ts';

const COMPARISONS = { eq: '=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;
const LAST_CODE_POINT = 0x10_ff_ff;
/** A text that sorts after every stored text. It is longer than any stored text. */
const LAST_TEXT = String.fromCodePoint(LAST_CODE_POINT).repeat(2049);

/** Returns the first text, by code point, after all stored texts with a prefix. */
export const afterPrefix = (prefix: string): string => {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === LAST_CODE_POINT) points.pop();
  const last = points.pop();
  if (last === undefined) return LAST_TEXT;
  // The next code points are surrogates, which no text contains.
  return String.fromCodePoint(...points, last === 0xd7_ff ? 0xe0_00 : last + 1);
};

// The search column joins its parts with U+0001. A word that contains it becomes null, which matches no row.
const searchable = (word: string): string | null => (word.includes('\u0001') ? null : word);

const filterText = ({ query }: ListInput, at: number): string => String(query.filters[at]?.value);

const wordText = ({ query }: ListInput, at: number): string => query.words[at] ?? '';

// strpos cannot use an index. For LIKE with a short word, PostgreSQL could read the whole inverted index.
const contains = (name: string, textFrom: (input: ListInput) => string): Sql =>
  sql`strpos(${column(name)}, ${parameter((input) => searchable(textFrom(input)))}) > 0`;

/** Returns the condition of a filter. `at` is its position in the query. */
const filterCondition = ({ filters }: Shape, at: number): Sql => {
  const filter = filters[at];
  if (!filter) return sql`true`;
  const { operator } = filter;
  const { name, kind } = filter.column;
  const stored = column(name);
  const value = parameter(({ query }) => query.filters[at]?.value);
  if (operator === 'isnull') return sql`${stored} is null`;
  if (operator === 'isnotnull') return sql`${stored} is not null`;
  if (operator === 'icontains') return contains(name, (input) => filterText(input, at));
  if (operator === 'istartswith') {
    // PostgreSQL's generic plan can use an index for a range, but not for LIKE.
    const end = parameter((input) => afterPrefix(filterText(input, at)));
    return sql`(${stored} >= ${value} and ${stored} < ${end})`;
  }
  if (kind === 'groups') {
    const groups = parameter(({ query }) => [query.filters[at]?.value].flat());
    return sql`${stored} && ${groups}::member_group[]`;
  }
  if (operator === 'in') return sql`${stored} = any(${value})`;
  // The subquery hides the value from the planner, so that PostgreSQL's plan serves frequent and rare values.
  if (kind === 'boolean') return sql`${stored} = (select ${value}::boolean)`;
  return sql`${stored} ${sql.raw(COMPARISONS[operator])} ${value}`;
};

/** Returns the conditions of the filters at the given positions. */
export const filterConditions = (shape: Shape, positions: FilterPositions): readonly Sql[] =>
  positions.map((at) => filterCondition(shape, at));

/** Combines the conditions of the filters at the given positions and of all words into one condition. */
export const checks = (shape: Shape, positions: FilterPositions): Sql => {
  const words = Array.from({ length: shape.words }, (_, at) =>
    someOf(shape.searched.map((name) => contains(name, (input) => wordText(input, at)))),
  );
  return allOf([...filterConditions(shape, positions), ...words]);
};

/** The number of trigrams that a lookup compares. Each costs time per found row, and few after the fourth exclude more. */
const COMPARED_TRIGRAMS = 4;

/**
 * Returns conditions for rows that have trigrams of the contained texts, each with a pattern of one trigram. PostgreSQL
 * reads each row that the index finds and compares it with the patterns, before LIMIT counts it. All found rows match
 * patterns of one trigram, so LIMIT bounds how many are read. Few might match a pattern of a whole word: all trigrams
 * of `org.example` are in each address at `example.org`.
 */
const trigramConditions = ({ list, hasTrigrams }: Shape): readonly Sql[] =>
  Array.from({ length: hasTrigrams ? COMPARED_TRIGRAMS : 0 }, (_, at) => {
    const pattern = parameter(({ query }) => {
      const trigrams = trigramsOf(containedTexts(list, query));
      // Picks trigrams evenly from all texts. If there are fewer than four, some are compared twice.
      return `%${trigrams[Math.floor((at * trigrams.length) / COMPARED_TRIGRAMS)]}%`;
    });
    // The subquery hides the value from the planner.
    return sql`${column(list.search.column)} like (select ${pattern}::text)`;
  });

/**
 * Returns the conditions on the contained texts that the inverted index serves. All rows that it finds meet them, so
 * LIMIT bounds how many are read. The exception is a bitmap of found rows that does not fit into `work_mem`: then
 * PostgreSQL also reads the other rows in the same blocks.
 */
export const lookupConditions = (shape: Shape): readonly Sql[] => {
  const { list, hasCharacters } = shape;
  const characters = parameter(({ query }) => indexedCharactersOf(containedTexts(list, query)));
  return [
    ...trigramConditions(shape),
    ...(hasCharacters
      ? [sql`${sql.raw(charactersOf(`u.${list.search.column}`))} @> (select ${characters}::text[])`]
      : []),
  ];
};
