import type { Page, Position } from '@chapter/domain';
import { encodeCursor, type MarkedQuery } from '../lists/cursor.ts';
import { withoutCursor } from '../lists/query-length.ts';
import type { RouteRequest } from './route.ts';

/** A page as it is answered. Contract, section 5. */
export interface Envelope<Item> {
  results: Item[];
  /** Relative reference (URL path with query) of the next page, or null at the end. */
  next: string | null;
  previous: string | null;
  count?: number;
}

/** Wraps a page, with the addresses of its neighbours, which keep every other parameter as it was sent. */
export const envelope = <Field extends string, Item, Shown>(
  { path, queryString, asked }: RouteRequest<MarkedQuery<Field>>,
  { items, next, previous, count }: Page<Item>,
  present: (item: Item) => Shown,
): Envelope<Shown> => {
  const rest = next || previous ? withoutCursor(queryString) : '';
  // Joined, not concatenated: V8 writes JSON by its fast path only where every string is flat.
  const link = (position: Position | null): string | null =>
    position && asked ? [path, '?', rest, rest && '&', 'cursor=', encodeCursor(asked.mark, position)].join('') : null;
  const page = { results: items.map((item) => present(item)), next: link(next), previous: link(previous) };
  return count === undefined ? page : { ...page, count };
};
