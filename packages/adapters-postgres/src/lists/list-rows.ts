import type { ListQuery, Page } from '@chapter/domain';
import type { Runner } from '../statement.ts';
import { conditionsOf } from './conditions.ts';
import { allOf, type Fragment, sql } from './fragment.ts';
import { segmentsOf } from './keyset.ts';
import type { List } from './lists.ts';
import { toPage } from './page.ts';
import { makeShapes } from './shapes.ts';

/** Reads a page of a list; `scope` are the values of the list's own condition. */
export type ListRows = <
  Field extends string,
  Item extends Readonly<Record<Field, unknown>>,
  Row extends readonly unknown[],
>(
  list: List<Field, Item, Row>,
  scope: readonly unknown[],
  query: ListQuery<Field>,
) => Promise<Page<Item>>;

type Described<Field extends string> = Omit<List<Field, unknown, readonly unknown[]>, 'toItem'>;

const selectPage = <Field extends string>(
  list: Described<Field>,
  shared: readonly Fragment[],
  query: ListQuery<Field>,
): Fragment => {
  // One row more than the page has tells whether it goes on. A number in the text, for a plan depends on it.
  const limit = `limit ${query.size + 1}`;
  const selects = segmentsOf(list, query).map(({ conditions, orderBy }) => {
    const { text, values } = allOf([...shared, ...conditions]);
    return sql(`select ${list.select} from ${list.from} where ${text} order by ${orderBy} ${limit}`, ...values);
  });
  if (selects.length === 1 && selects[0]) return selects[0];
  const text = selects.map((select) => `(${select.text})`).join(' union all ');
  return sql(`${text} ${limit}`, ...selects.flatMap(({ values }) => values));
};

const selectCount = <Field extends string>(list: Described<Field>, shared: readonly Fragment[]): Fragment => {
  const { text, values } = allOf(shared);
  return sql(`select count(*)::int from ${list.countFrom} where ${text}`, ...values);
};

/** Lists on PostgreSQL: by keyset, so that a page costs the same at any depth. */
export const makeListRows = (runner: Runner): ListRows => {
  const statementOf = makeShapes();
  return async <Field extends string, Item extends Readonly<Record<Field, unknown>>, Row extends readonly unknown[]>(
    list: List<Field, Item, Row>,
    scope: readonly unknown[],
    query: ListQuery<Field>,
  ): Promise<Page<Item>> => {
    // How many rows hold a word decides which index is the shorter way, so each search is planned with its words.
    const isNamed = query.words.length === 0;
    const run = <Read extends readonly unknown[]>({ text, values }: Fragment): Promise<readonly Read[]> =>
      runner.query<Read>(statementOf(text, isNamed), values);
    const shared = [sql(list.scope, ...scope), ...conditionsOf(list, query)];
    const [rows, counts] = await Promise.all([
      run<Row>(selectPage(list, shared, query)),
      query.counted ? run<readonly [count: number]>(selectCount(list, shared)) : [],
    ]);
    const page = toPage(list.fields, query, rows.map(list.toItem));
    const [counted] = counts;
    return counted ? { ...page, count: counted[0] } : page;
  };
};
