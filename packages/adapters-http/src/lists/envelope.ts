import type { ListQuery, Page, Position } from '@chapter/domain';
import type { RouteRequest } from '../route.ts';
import { makeEncodeCursor } from './cursor.ts';

/** A page as it is answered. Contract, section 5. */
export interface Envelope<Item> {
  results: Item[];
  /** Relative reference (URL path with query) of the next page, or null at the end. */
  next: string | null;
  previous: string | null;
  count?: number;
}

const isCursor = (part: string): boolean => {
  const name = part.split('=', 1)[0] ?? '';
  return name === 'cursor' || (name.includes('%') && decodeURIComponent(name) === 'cursor');
};

const otherParameters = (queryString: string): string =>
  queryString
    .split('&')
    .filter((part) => part !== '' && !isCursor(part))
    .map((part) => `${part}&`)
    .join('');

/** Wraps a page, with the addresses of its neighbours, which keep every other parameter as it was sent. */
export const envelope = <Field extends string, Item, Shown>(
  { path, queryString, asked, key }: RouteRequest<ListQuery<Field>>,
  { items, next, previous, count }: Page<Item>,
  present: (item: Item) => Shown,
): Envelope<Shown> => {
  const encode = asked && (next || previous) ? makeEncodeCursor({ ...asked, list: key }) : undefined;
  // Joined, not concatenated: V8 writes JSON by its fast path only where every string is flat.
  const link = (position: Position | null): string | null =>
    position && encode ? [path, '?', otherParameters(queryString), 'cursor=', encode(position)].join('') : null;
  const page = { results: items.map((item) => present(item)), next: link(next), previous: link(previous) };
  return count === undefined ? page : { ...page, count };
};
