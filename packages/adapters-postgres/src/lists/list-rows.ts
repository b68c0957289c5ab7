import type { ListQuery, Page } from '@chapter/domain';
import type { Runner } from '../connection/statement.ts';
import type { Asked, Fragment } from './fragment.ts';
import type { List } from './lists.ts';
import { toPage } from './page.ts';
import {
  type Described,
  isOrdered,
  isPlain,
  isPointed,
  isSteady,
  type Lead,
  leadOf,
  selectCount,
  selectFew,
  selectFound,
  selectPlain,
  selectWalking,
} from './selects.ts';
import { inOrderOfWords, type Shape, shapeOf } from './shape.ts';
import { type Manner, makeStatements } from './statements.ts';

/** Reads a page of a list; `scope` are the values of the list's own condition. */
export type ListRows = <
  Field extends string,
  Shown extends Field,
  Item extends Readonly<Record<Shown, unknown>>,
  Row extends readonly unknown[],
  Head extends readonly unknown[],
>(
  list: List<Field, Item, Row, Head>,
  scope: readonly unknown[],
  query: ListQuery<Shown>,
) => Promise<Page<Item>>;

/** How many rows are looked at along the order for a page of rows that meet conditions; see `docs/lists.md`. */
const STEPS = 500;
/** How many times as many are looked at where a page is likely to be among these, and how many times as many are few. */
const MORE = 16;

type Row = readonly unknown[];
type Run = (key: string, manner: Manner, make: () => Fragment, asked: Asked) => Promise<readonly Row[]>;

/** Rows, and by which kind of index they were found where they were not met along the order. */
interface Read {
  readonly rows: readonly Row[];
  readonly lead: Lead | null;
}

/** What has no id is none of the list: it is the head, or stands for what is not there. */
const isOfList = ([id]: Row): boolean => id !== null;

/**
 * A page costs the same in a list of any length: rows that meet conditions which many rows meet are met soon along the
 * index of the order, and of those that meet rare ones there are few to sort. Which it is, no statistics know: what is
 * rare in the service may be frequent in a division, and the other way round. So it is tried, for a bounded price.
 */
const read = async <Field extends string>(
  run: Run,
  steps: number,
  list: Described<Field>,
  shape: Shape<Field>,
  asked: Asked,
): Promise<Read> => {
  const key = `${list.name} ${JSON.stringify(shape)}`;
  const lead = leadOf(list, shape);
  // Which field's index leads to the fewest rows depends on the values, unless one of them can name no more than a few.
  const isNamed = lead !== 'values' || isPointed(list, shape);
  // Where it is nothing but so many entries of an index, whoever shares the connection can wait for it.
  const isBrief = isSteady(list, shape);
  const found = async (): Promise<Read> => ({
    rows: await run(`found ${key}`, { isNamed }, () => selectFound(list, shape, lead), asked),
    lead,
  });
  const few = async (most: number): Promise<Read | undefined> => {
    // For a plan that may stop early, indexes by value would be chosen as if they could.
    if (lead === 'values') return found();
    const rows = await run(`few ${most} ${key}`, { isNamed }, () => selectFew(list, shape, lead, most), asked);
    return rows.at(-1)?.at(-1) === true ? undefined : { rows, lead };
  };
  const walk = async (most: number) => {
    const manner = { isNamed: true, isBrief: isBrief && most <= steps };
    const rows = await run(`walk ${most} ${key}`, manner, () => selectWalking(list, shape, most), asked);
    const isWhole = rows.at(-1)?.at(-1) !== false;
    return { met: rows.filter(isOfList).length, page: isWhole ? { rows, lead: null } : undefined };
  };
  if (!isOrdered(list, shape)) return found();
  if (isPlain(list, shape)) {
    const manner = { isNamed: true, isBrief };
    return { rows: await run(`plain ${key}`, manner, () => selectPlain(list, shape), asked), lead: null };
  }
  if (isPointed(list, shape)) return found();
  const { met, page } = await walk(steps);
  if (page) return page;
  // Neighbours are alike: where none of the first rows is met, many others may be all the same.
  const isLikely = met * MORE > asked.query.size;
  return (isLikely ? undefined : await few(steps * MORE)) ?? (await walk(steps * MORE)).page ?? (await found());
};

const itemsOf = <Field extends string, Item, Of extends readonly unknown[], Head extends readonly unknown[]>(
  list: List<Field, Item, Of, Head>,
  scope: readonly unknown[],
  rows: readonly Row[],
): readonly Item[] => {
  const head = rows.find((row) => !isOfList(row))?.slice(list.select.length) ?? [];
  // Users of a division that is not there, which should never be in the database, are in no list.
  if (list.head && (head[0] ?? null) === null) return [];
  const toItem = list.makeToItem(head as readonly unknown[] as Head, scope);
  return rows.filter(isOfList).map((row) => toItem(row as Of));
};

/** Lists on PostgreSQL. `steps` is what a page may cost along its order before its rows are looked for otherwise. */
export const makeListRows = (runner: Runner, steps: number = STEPS): ListRows => {
  // Apart, so that however many conditions people think of, lists without any keep their names.
  const [plain, others] = [makeStatements(), makeStatements()];
  const run: Run = (key, manner, make, asked) => {
    const { statement, valuesOf } = (key.startsWith('plain') ? plain : others)(key, manner, make);
    return runner.query(statement, valuesOf(asked));
  };
  const count = async <Field extends string>(list: Described<Field>, shape: Shape<Field>, asked: Asked, by: Lead) => {
    const key = `count ${by} ${list.name} ${JSON.stringify({ ...shape, order: [], position: null })}`;
    const isNamed = by !== 'values' || (shape.words === 0 && shape.filters.length === 0);
    const [row] = await run(key, { isNamed }, () => selectCount(list, shape, by), asked);
    return { count: row?.[0] as number };
  };
  return async (list, scope, sent) => {
    const query = inOrderOfWords(sent);
    const asked: Asked = { scope, query };
    const shape = shapeOf(list, query);
    const { rows, lead } = await read(run, steps, list, shape, asked);
    const page = toPage(list.fields, query, itemsOf(list, scope, rows));
    if (!query.counted) return page;
    const isWhole = shape.words === 0 && shape.filters.length === 0;
    return { ...page, ...(await count(list, shape, asked, isWhole ? 'values' : (lead ?? 'values'))) };
  };
};
