import { listRules } from '@chapter/domain';
import { filterCondition, trigramConditions, wordCondition } from './conditions.ts';
import { allOf, type Fragment, sql, template } from './fragment.ts';
import { type Segment, segmentsOf, wholeOf } from './keyset.ts';
import type { List } from './lists.ts';
import type { FilterShape, Shape } from './shape.ts';
import { hasTokens, tokensOf } from './tokens.ts';

/** A list without what becomes of its rows. */
export type Described<Field extends string> = Omit<List<Field, unknown, readonly unknown[]>, 'toItem'>;

/** One row more than the page has tells whether it goes on. */
const wanted = sql('limit ?', ({ query }) => query.size + 1);
/** In the text, because a plan depends on it; the same for all sizes of a page, for which one plan is to do. */
const MOST = listRules.maxSize + 1;

const selected = <Field extends string>({ select }: Described<Field>): string => select.join(', ');

const each = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const scoped = (scope: string): Fragment => (scope.includes('?') ? sql(scope, (asked) => asked.scope[0]) : sql(scope));

/**
 * The scope without the planner's knowing its value. Else a plan for a small division looks cheaper than the one for all
 * of them, so that it is made anew each time, and making it costs as much again as running it.
 */
const unseen = (scope: string): Fragment => scoped(scope.replace('?', '(select ?::uuid)'));

/** Whether a filter bounds the stretch of the order's index that a page is read along, instead of picking rows from it. */
const bounds = <Field extends string>(
  list: Described<Field>,
  { order }: Shape<Field>,
  { field, operator }: FilterShape<Field>,
): boolean =>
  list.scoped.includes(field) || (field === order[0]?.field && operator !== 'in' && operator !== 'icontains');

const conditionsOf = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  of: (filter: FilterShape<Field>) => boolean = () => true,
): readonly Fragment[] => shape.filters.flatMap((filter, at) => (of(filter) ? [filterCondition(list, shape, at)] : []));

const wordsOf = <Field extends string>(list: Described<Field>, shape: Shape<Field>): readonly Fragment[] =>
  each(shape.words).map((at) => wordCondition(list, shape, at));

/** Whether an index has the order. */
export const isOrdered = <Field extends string>(list: Described<Field>, { order }: Shape<Field>): boolean => {
  const [first, second] = order.map(({ field }) => field);
  return first !== undefined && (list.ordered.includes(first) || (list.scoped.includes(first) && second === 'id'));
};

/** Whether every row that a page is read along is one of the page, in an order that an index has. */
export const isPlain = <Field extends string>(list: Described<Field>, shape: Shape<Field>): boolean =>
  shape.words === 0 && shape.filters.every((filter) => bounds(list, shape, filter));

/** Whether a filter names the few rows there can be. */
export const isPointed = <Field extends string>(list: Described<Field>, { filters }: Shape<Field>): boolean =>
  filters.some(({ field, operator }) => list.unique.includes(field) && (operator === 'eq' || operator === 'in'));

/** The kind of index that leads to the rows that meet conditions. */
export type Lead = 'trigrams' | 'tokens' | 'values';

/** Which kind of index leads to the rows of this shape: that of a field where one can be chosen by its value. */
export const leadOf = <Field extends string>(list: Described<Field>, shape: Shape<Field>): Lead => {
  const { filters, trigrams } = shape;
  if (filters.some(({ field, operator }) => list.ordered.includes(field) && operator !== 'icontains')) return 'values';
  if (trigrams > 0 || filters.some(({ hasTrigrams }) => hasTrigrams)) return 'trigrams';
  return hasTokens(list, shape) ? 'tokens' : 'values';
};

/** Rows along the index of the order: of each stretch so many at most. */
const along = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  what: Fragment,
  most: number,
  scope: Fragment,
): Fragment => {
  const shared = [scope, ...conditionsOf(list, shape, (filter) => bounds(list, shape, filter))];
  const selects = segmentsOf(list, shape).map(({ conditions, orderBy }: Segment) => {
    const where = allOf([...shared, ...conditions]);
    return template`select ${what} from ${list.table} ${list.alias} where ${where} order by ${orderBy} limit ${String(most)}`;
  });
  const [near, far] = selects;
  if (!near || !far) return near ?? sql('select');
  return template`(${near}) union all (${far}) limit ${String(most)}`;
};

/**
 * What a list shows of rows along the index of the order. They stay in it though nothing says so once more: what is beside them
 * is one row, they hang on it (`lateral`), and no workers take turns (see `orm.ts`).
 */
const shownAlong = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  { what, most, more }: { readonly what: Fragment; readonly most: number; readonly more: readonly Fragment[] },
): Fragment => {
  const { alias, beside, scope } = list;
  const rows = along(list, shape, what, most, beside ? sql(beside.ofRows) : unseen(scope));
  const from = beside ? template`${beside.table} cross join lateral (${rows}) ${alias}` : template`(${rows}) ${alias}`;
  return template`from ${from} where ${allOf([...(beside ? [scoped(beside.scope)] : []), ...more])}`;
};

/** A page that is read along an index, row by row: for shapes that are plain. */
export const selectPlain = <Field extends string>(list: Described<Field>, shape: Shape<Field>): Fragment =>
  template`select ${selected(list)} ${shownAlong(list, shape, { what: sql('*'), most: MOST, more: [] })} ${wanted}`;

/**
 * A page of those that meet the conditions among so many first rows along the index of the order. Each row ends with
 * whether it is one of the page: a last one that is not stands for all that have not been looked at, and is there only
 * where the page is not full.
 */
export const selectWalking = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  steps: number,
): Fragment => {
  const conditions = conditionsOf(list, shape, (filter) => !bounds(list, shape, filter));
  const met = template`*, ${allOf([...conditions, ...wordsOf(list, shape)])} as met`;
  const page = shownAlong(list, shape, { what: met, most: steps - 1, more: [sql('met')] });
  const all = along(list, shape, sql('true'), steps, unseen(list.scope));
  const nothing = list.select.map(() => 'null').join(', ');
  // The second is looked for only where the first leaves room, and in the index alone.
  return template`(select ${selected(list)}, true ${page}) union all
    (select ${nothing}, false from (${all}) walked offset ${String(steps - 1)}) ${wanted}`;
};

const found = <Field extends string>(list: Described<Field>, shape: Shape<Field>, lead: Lead): Fragment => {
  const { search, tokens } = list;
  const scope =
    lead === 'tokens' && tokens
      ? // The scope is among them: said once more, it would offer a way through the whole division. And unseen like that.
        sql(`${tokens.expression} @> (select ?::text[])`, tokensOf(list, shape))
      : scoped(lead === 'trigrams' && search ? search.scope : list.scope);
  const known = lead === 'tokens' ? [] : trigramConditions(list, shape, lead === 'trigrams');
  return allOf([scope, ...known, ...conditionsOf(list, shape), ...wordsOf(list, shape)]);
};

const besideOf = <Field extends string>({ beside }: Described<Field>): Fragment =>
  beside ? template`join ${beside.table} on ${scoped(beside.scope)}` : sql('');

/** A page of all rows that meet the conditions, which are found first and sorted then. */
export const selectFound = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  lead: Lead,
): Fragment => {
  const { table, alias } = list;
  const { conditions, orderBy } = wholeOf(list, shape);
  // `offset 0` keeps the two apart: else it might be sorted first, along an index, and then searched to its end.
  const rows = template`(select * from ${table} ${alias} where ${found(list, shape, lead)} offset 0) ${alias}`;
  const page = template`(select * from ${rows} where ${allOf(conditions)} order by ${orderBy} ${wanted}) ${alias}`;
  return template`select ${selected(list)} from ${page} ${besideOf(list)} order by ${orderBy}`;
};

/**
 * The same, if no more than so many rows meet the conditions. Each row ends with whether more do; where the page is
 * empty there is one all the same, without an id.
 */
export const selectFew = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  lead: Lead,
  most: number,
): Fragment => {
  const { table, alias, columns } = list;
  const { conditions, orderBy } = wholeOf(list, shape);
  // Only what they are ordered by: thousands of whole rows would not fit into the memory that a statement has.
  const kept = shape.order.map(({ field }) => columns[field]).join(', ');
  const rows = template`select ${kept} from ${table} ${alias} where ${found(list, shape, lead)} limit ${String(most + 1)}`;
  const first = template`select ${alias}.id from met ${alias} where ${allOf(conditions)} order by ${orderBy} limit ${String(MOST)}`;
  const page = template`(select id from (${first}) page ${wanted}) page`;
  // Apart by `offset 0`, and so one by one, by their ids: else all rows of the division might be gone through for them.
  const whole = `lateral (select * from ${table} ${alias} where ${alias}.id = page.id offset 0) ${alias}`;
  return template`with met as materialized (${rows})
    select ${selected(list)}, many from (select count(*) > ${String(most)} as many from met) counted
    left join (${page} join ${whole} on true ${besideOf(list)}) on true order by ${orderBy}`;
};

/** The number of rows that meet the conditions. */
export const selectCount = <Field extends string>(list: Described<Field>, shape: Shape<Field>, lead: Lead): Fragment =>
  template`select count(*)::int from ${list.table} ${list.alias} where ${found(list, shape, lead)}`;
