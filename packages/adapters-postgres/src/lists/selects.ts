import type { ListQuery } from '@chapter/domain';
import { allOf, type Fragment, sql } from './fragment.ts';
import { segmentsOf, wholeOf } from './keyset.ts';
import type { Indexes, List } from './lists.ts';

/** A list without what becomes of its rows. */
export type Described<Field extends string> = Omit<List<Field, unknown, readonly unknown[]>, 'toItem'>;

/** A list that has indexes. */
export type Indexed<Field extends string> = Described<Field> & { readonly indexes: Indexes<Field> };

/** One row more than the page has tells whether it goes on. A number in the text, for a plan depends on it. */
const pageLimit = ({ size }: { readonly size: number }): string => `limit ${size + 1}`;

const select = (what: string, from: string, where: readonly Fragment[], rest: string): Fragment => {
  const { text, values } = allOf(where);
  return sql(`select ${what} from ${from} where ${text} ${rest}`, ...values);
};

const stretches = <Field extends string>(
  list: Described<Field>,
  what: string,
  where: readonly Fragment[],
  query: ListQuery<Field>,
  limit: string,
): Fragment => {
  const selects = segmentsOf(list, query).map(({ conditions, orderBy }) =>
    select(what, list.from, [...where, ...conditions], `order by ${orderBy} ${limit}`),
  );
  if (selects.length === 1 && selects[0]) return selects[0];
  // One after the other: without parallel workers, and the session has none, a union takes them in turn as far as needed.
  const text = selects.map((one) => `(${one.text})`).join(' union all ');
  return sql(`${text} ${limit}`, ...selects.flatMap(({ values }) => values));
};

/** A page along the order, wherever that comes from. */
export const selectAlong = <Field extends string>(
  list: Described<Field>,
  where: readonly Fragment[],
  query: ListQuery<Field>,
): Fragment => stretches(list, list.select, where, query, pageLimit(query));

/** A page of all rows that meet the conditions, found first and sorted then. */
export const selectSorted = <Field extends string>(
  list: Indexed<Field>,
  where: readonly Fragment[],
  query: ListQuery<Field>,
): Fragment => {
  const { whole, selectOfWhole } = list.indexes;
  const { conditions, orderBy } = wholeOf(list, query);
  // `offset 0` keeps the two apart: else it might be sorted first, along an index, and then searched to its end.
  const found = select(whole, list.from, where, 'offset 0');
  const page = select(selectOfWhole, `(${found.text}) u`, conditions, `order by ${orderBy} ${pageLimit(query)}`);
  return sql(page.text, ...found.values, ...page.values);
};

/**
 * A page of those that meet the conditions among so many first rows in their order. Ends with a row of nulls where the
 * page is not full and rows are left that have not been looked at.
 */
export const selectWalking = <Field extends string>(
  list: Indexed<Field>,
  scope: Fragment,
  conditions: readonly Fragment[],
  query: ListQuery<Field>,
  steps: number,
): Fragment => {
  const { whole, selectOfWhole } = list.indexes;
  const walked = stretches(list, whole, [scope], query, `limit ${steps}`);
  const met = select(selectOfWhole, 'u', conditions, '');
  const nulls = selectOfWhole.replaceAll(/[^,]+/g, 'null');
  return sql(
    `with u as materialized (${walked.text}) (${met.text}) union all
      (select ${nulls} from (select count(*) as steps from u) c where steps = ${steps}) ${pageLimit(query)}`,
    ...walked.values,
    ...met.values,
  );
};

/** The number of rows that meet the conditions. */
export const selectCount = <Field extends string>(list: Described<Field>, where: readonly Fragment[]): Fragment =>
  select('count(*)::int', list.countFrom, where, '');
