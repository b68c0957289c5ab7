import type { ListQuery } from '@chapter/domain';

/** What is asked of a list: the values that its scope has, and the query. */
export interface Asked<Field extends string = string> {
  readonly scope: readonly unknown[];
  readonly query: ListQuery<Field>;
}

/** Takes a value of a statement out of what is asked. */
export type ValueOf = (asked: Asked) => unknown;

/**
 * A piece of SQL, with a `?` for each of its values. It is made of the shape of a query alone, in which there is no
 * value of anybody's: nothing that a caller says can get into the text.
 */
export interface Fragment {
  readonly text: string;
  readonly values: readonly ValueOf[];
}

/** A fragment. */
export const sql = (text: string, ...values: readonly ValueOf[]): Fragment => ({ text, values });

const joined = (fragments: readonly Fragment[], between: string): Fragment => ({
  text: fragments.map(({ text }) => text).join(between),
  values: fragments.flatMap(({ values }) => values),
});

/** All of several conditions. */
export const allOf = (conditions: readonly Fragment[]): Fragment =>
  conditions.length === 0 ? sql('true') : joined(conditions, ' and ');

/** Any of several conditions. */
export const anyOf = (conditions: readonly Fragment[]): Fragment => {
  if (conditions.length === 0) return sql('false');
  const { text, values } = joined(conditions, ' or ');
  return { text: `(${text})`, values };
};

/** Fragments one behind the other, with plain text before, between and behind them, as a template. */
export const template = (texts: TemplateStringsArray, ...parts: readonly (Fragment | string)[]): Fragment => {
  const whole = parts.map((part) => (typeof part === 'string' ? sql(part) : part));
  return joined(
    texts.flatMap((text, at) => [sql(text), ...whole.slice(at, at + 1)]),
    '',
  );
};
