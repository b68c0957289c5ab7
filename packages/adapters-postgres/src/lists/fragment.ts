/** A piece of SQL, with a `?` for each of its values. The text is made here alone; whatever a caller says is a value. */
export interface Fragment {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A fragment. */
export const sql = (text: string, ...values: readonly unknown[]): Fragment => ({ text, values });

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
