import { listRules } from '@chapter/domain';
import { filterCondition, searchedColumns, trigramConditions, wordCondition } from './conditions.ts';
import { allOf, type Fragment, sql, template } from './fragment.ts';
import { type Segment, segmentsOf, wholeOf } from './keyset.ts';
import type { List } from './lists.ts';
import type { FilterShape, Shape } from './shape.ts';
import { hasTokens, tokensOf } from './tokens.ts';

/** A list without what becomes of its rows. */
export type Described<Field extends string> = Omit<List<Field, unknown, readonly unknown[]>, 'makeToItem'>;

/** In the text, because a plan depends on it; the same for all sizes of a page, for which one plan is to do. */
const MOST = listRules.maxSize + 1;

const each = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

const scoped = (scope: string): Fragment => (scope.includes('?') ? sql(scope, (asked) => asked.scope[0]) : sql(scope));

const nulls = (columns: readonly string[] = []): readonly string[] => columns.map(() => 'null');

/** What a row of the list is selected as: columns of the head are there as well, without values. */
const selected = <Field extends string>({ select, head }: Described<Field>, ...flags: readonly string[]): string =>
  [...select, ...nulls(head?.select), ...flags].join(', ');

/** The rows behind that of the head, whose flags are null. */
const withHead = <Field extends string>({ select, head }: Described<Field>, rows: Fragment, flags = 0): Fragment => {
  if (!head) return rows;
  const columns = [...nulls(select), ...head.select, ...each(flags).map(() => 'null')].join(', ');
  return template`(select ${columns} from ${head.table} where ${scoped(head.scope)}) union all ${rows}`;
};

/** One row more than the page has tells whether it goes on. */
const wanted = sql('limit ?', ({ query }) => query.size + 1);
const wantedWithHead = <Field extends string>({ head }: Described<Field>): Fragment =>
  head ? sql('limit ?', ({ query }) => query.size + 2) : wanted;

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
  return first !== undefined && (first in list.ordered || (list.scoped.includes(first) && second === 'id'));
};

/**
 * Whether so many rows along that order are as many entries of the index, wherever they begin. The index must have all of the
 * order, in its sequence: else all rows with the same first value are sorted, or gone through on the way to a place among
 * them. And where a filter bounds the stretch as well as a place, PostgreSQL may begin at either.
 */
export const isSteady = <Field extends string>(list: Described<Field>, shape: Shape<Field>): boolean => {
  const { filters, order, position } = shape;
  const [first] = order;
  const columns = (first && list.ordered[first.field]?.slice(list.scoped.length)) ?? [];
  const isOfIndex = order.every(
    ({ field, descending }, at) => list.columns[field] === columns[at] && descending === first?.descending,
  );
  return isOfIndex && (position === null || !filters.some((filter) => bounds(list, shape, filter)));
};

/** Whether the index of the order has all that the conditions ask of a row, which then need not be read for them. */
const isCovered = <Field extends string>(list: Described<Field>, shape: Shape<Field>): boolean => {
  const { filters, order, words } = shape;
  const [first] = order;
  const known = (first && list.ordered[first.field]) ?? [];
  const fields = [...order, ...filters].map(({ field }) => list.columns[field]);
  const asked = [`${list.alias}.id`, ...fields, ...(words > 0 ? searchedColumns(list, shape) : [])];
  return asked.every((column) => known.includes(column));
};

/**
 * What a statement must say to be given the index that has what a page shows; nothing where the index has not all that the
 * statement asks of a row.
 */
const listedCondition = <Field extends string>(
  { listed, columns }: Described<Field>,
  { filters, order, words }: Shape<Field>,
): readonly Fragment[] => {
  if (listed?.order !== order[0]?.field || words > 0) return [];
  const asked = [...order, ...filters].map(({ field }) => columns[field]);
  return listed && asked.every((column) => listed.columns.includes(column)) ? [sql(listed.condition)] : [];
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
  if (filters.some(({ field, operator }) => field in list.ordered && operator !== 'icontains')) return 'values';
  if (trigrams > 0 || filters.some(({ hasTrigrams }) => hasTrigrams)) return 'trigrams';
  return hasTokens(list, shape) ? 'tokens' : 'values';
};

/**
 * Rows along the index of the order: of each stretch so many at most. They stay in that order though nothing says so once
 * more, for no workers take turns (see `orm.ts`).
 */
const along = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  what: Fragment,
  most: number,
): Fragment => {
  const bounding = conditionsOf(list, shape, (filter) => bounds(list, shape, filter));
  const shared = [unseen(list.scope), ...listedCondition(list, shape), ...bounding];
  const selects = segmentsOf(list, shape).map(({ conditions, orderBy }: Segment) => {
    const where = allOf([...shared, ...conditions]);
    return template`select ${what} from ${list.table} ${list.alias} where ${where} order by ${orderBy} limit ${String(most)}`;
  });
  const [near, far] = selects;
  if (!near || !far) return near ?? sql('select');
  return template`(${near}) union all (${far}) limit ${String(most)}`;
};

/**
 * The rows of a page of ids, one by one, in its order. Apart by `offset 0`: else all rows of the division might be gone
 * through for them.
 */
const rowsOfPage = <Field extends string>({ table, alias }: Described<Field>): string =>
  `lateral (select * from ${table} ${alias} where ${alias}.id = page.id offset 0) ${alias}`;

/** A page that is read along an index, row by row: for shapes that are plain. */
export const selectPlain = <Field extends string>(list: Described<Field>, shape: Shape<Field>): Fragment => {
  const rows = template`(select ${selected(list)} from (${along(list, shape, sql('*'), MOST)}) ${list.alias})`;
  return template`${withHead(list, rows)} ${wantedWithHead(list)}`;
};

/**
 * A page of those that meet the conditions among so many first rows along the index of the order. Behind the head, each
 * row ends with whether it is one of the page: a last one that is not stands for all that have not been looked at, and is there only
 * where the page is not full.
 */
export const selectWalking = <Field extends string>(
  list: Described<Field>,
  shape: Shape<Field>,
  steps: number,
): Fragment => {
  const conditions = conditionsOf(list, shape, (filter) => !bounds(list, shape, filter));
  const isInIndex = isCovered(list, shape) && listedCondition(list, shape).length === 0;
  const met = template`${isInIndex ? `${list.alias}.id` : '*'}, ${allOf([...conditions, ...wordsOf(list, shape)])} as met`;
  const walked = template`(${along(list, shape, met, steps - 1)}) ${list.alias} where met`;
  const rows = isInIndex ? template`(select id from ${walked}) page cross join ${rowsOfPage(list)}` : walked;
  const page = template`(select ${selected(list, 'true')} from ${rows})`;
  const nothing = [...nulls(list.select), ...nulls(list.head?.select), 'false'].join(', ');
  const more = template`(select ${nothing} from (${along(list, shape, sql('true'), steps)}) walked offset ${String(steps - 1)})`;
  // The last is looked for only where the page leaves room, and in the index alone.
  return template`${withHead(list, template`${page} union all ${more}`, 1)} ${wantedWithHead(list)}`;
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
  return withHead(list, template`(select ${selected(list)} from ${page} order by ${orderBy})`);
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
  const shown = template`(select ${selected(list, 'many')} from (select count(*) > ${String(most)} as many from met) counted
    left join (${page} cross join ${rowsOfPage(list)}) on true order by ${orderBy})`;
  return template`with met as materialized (${rows}) ${withHead(list, shown, 1)}`;
};

/** The number of rows that meet the conditions. */
export const selectCount = <Field extends string>(list: Described<Field>, shape: Shape<Field>, lead: Lead): Fragment =>
  template`select count(*)::int from ${list.table} ${list.alias} where ${found(list, shape, lead)}`;
