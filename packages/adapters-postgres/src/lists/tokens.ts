import { filterText } from './conditions.ts';
import type { Asked, ValueOf } from './fragment.ts';
import type { Columns } from './lists.ts';
import { isContained, type Shape } from './shape.ts';

/** Nothing stored has more of them in a row that would tell it from others. */
const MOST_GRAMS = 60;

/**
 * The pairs of neighbouring characters of a text, of a single character itself: what a row that contains the text has
 * among its tokens. See the function `search_grams` of the database.
 */
export const gramsOf = (text: string): readonly string[] => {
  const characters = Array.from(text).slice(0, MOST_GRAMS);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
};

/** Whether the index of tokens can tell rows of this shape from others. */
export const hasTokens = <Field extends string>(list: Columns<Field>, { filters, words }: Shape<Field>): boolean =>
  list.tokens !== undefined &&
  (list.tokens.ofScope || words > 0 || filters.some((filter) => isContained(list, filter)));

/** The tokens that every row has which a query of this shape asks for. */
export const tokensOf = <Field extends string>(list: Columns<Field>, { filters }: Shape<Field>): ValueOf => {
  const ofFilters = filters.flatMap((filter, at): ((asked: Asked) => readonly string[])[] => {
    if (isContained(list, filter)) return [(asked) => gramsOf(filterText(asked, at))];
    const ofValue = filter.operator === 'eq' && list.tokens?.ofValue[filter.field];
    return ofValue ? [(asked) => [ofValue(filterText(asked, at))]] : [];
  });
  return (asked) => [
    ...new Set([
      ...(list.tokens?.ofScope ? asked.scope : []),
      ...ofFilters.flatMap((of) => of(asked)),
      ...asked.query.words.flatMap(gramsOf),
    ]),
  ];
};
