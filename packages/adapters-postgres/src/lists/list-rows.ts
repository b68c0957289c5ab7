import type { ListQuery, Page } from '@chapter/domain';
import type { Runner } from '../statement.ts';
import { conditionsOf } from './conditions.ts';
import { type Fragment, sql } from './fragment.ts';
import type { List } from './lists.ts';
import { meetsFew, meetsOne } from './narrow.ts';
import { toPage } from './page.ts';
import { type Described, selectAlong, selectCount, selectSorted, selectWalking } from './selects.ts';
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

/** How many rows are looked at in their order before those that meet the conditions are looked for. */
const STEPS = 500;

type Rows = readonly (readonly unknown[])[];

/** Runs a statement: `known` with a plan made once, else with one for the very values. */
type Run = (fragment: Fragment, plan: 'known' | 'new') => Promise<Rows>;

/**
 * A page costs the same in a list of any length. Conditions that many rows meet are met soon in walking along the index
 * of the order, as every row of a short list is; of rows that meet rare ones there are few to sort. No statistics know
 * beforehand which it is, so a short walk finds out.
 */
const readPage = async <Field extends string>(
  run: Run,
  list: Described<Field>,
  scope: Fragment,
  query: ListQuery<Field>,
  steps: number,
): Promise<Rows> => {
  const { indexes } = list;
  const conditions = conditionsOf(list, query);
  const where = [scope, ...conditions];
  const [first] = query.order;
  if (!indexes || !first || !indexes.ordered.includes(first.field)) return run(selectAlong(list, where, query), 'new');
  if (conditions.length === 0) return run(selectAlong(list, where, query), 'known');
  if (meetsOne(indexes, query)) return run(selectSorted({ ...list, indexes }, where, query), 'known');
  const rows = await run(selectWalking({ ...list, indexes }, scope, conditions, query, steps), 'known');
  if (rows.at(-1)?.[0] !== null) return rows;
  return meetsFew(indexes, query)
    ? run(selectSorted({ ...list, indexes }, where, query), 'known')
    : run(selectAlong(list, where, query), 'new');
};

/** Lists on PostgreSQL; `steps` is how many rows that meet no condition may be passed before others are looked for. */
export const makeListRows = (runner: Runner, steps: number = STEPS): ListRows => {
  const shapeOf = makeShapes();
  const run: Run = ({ text, values }, plan) => {
    const { name, ...unnamed } = shapeOf(text);
    return runner.query(plan === 'known' && name !== undefined ? { name, ...unnamed } : unnamed, values);
  };
  return async (list, scopeValues, query) => {
    const scope = sql(list.scope, ...scopeValues);
    const count = () => run(selectCount(list, [scope, ...conditionsOf(list, query)]), 'new');
    const [rows, [counted]] = await Promise.all([
      readPage(run, list, scope, query, steps),
      query.counted ? count() : [],
    ]);
    const items = rows.map((row) => list.toItem(row as Parameters<typeof list.toItem>[0]));
    const page = toPage(list.fields, query, items);
    return counted ? { ...page, count: counted[0] as number } : page;
  };
};
