import type { Page, Position } from '@chapter/domain';
import type { Static, TSchema } from 'typebox';
import { encodeCursor, type QueryWithChecksum } from '../lists/cursor.ts';
import type { ListParameters } from '../lists/list-parameters.ts';
import { withoutCursor } from '../lists/query-length.ts';
import { pageOf } from '../schemas/page.ts';
import { defineRoute, type Route, type RouteDescription, type SignedInRequest } from './route.ts';

/** A route description without the parts that all lists share. */
type ListRouteDescription<Field extends string, Item, Shown extends TSchema, P extends `/api/${string}`> = Pick<
  RouteDescription<QueryWithChecksum<Field>, Shown, P>,
  'path' | 'operationId' | 'tag' | 'summary' | 'description' | 'problems'
> & {
  readonly list: ListParameters<Field>;
  /** Calls the use case, which authorizes the caller before it reads the query. */
  readonly useCase: (request: SignedInRequest<QueryWithChecksum<Field>, P>) => Promise<Page<Item>>;
  /** The schema of an item. */
  readonly item: Shown;
  readonly present: (item: Item) => Static<Shown>;
  /** An example for the OpenAPI document. */
  readonly example: NoInfer<Item>;
};

/** Defines the route of a paged list (contract §5). */
export const defineListRoute = <Field extends string, Item, Shown extends TSchema, const P extends `/api/${string}`>({
  list,
  useCase,
  item,
  present,
  example,
  ...description
}: ListRouteDescription<Field, Item, Shown, P>): Route =>
  defineRoute<QueryWithChecksum<Field>, TSchema, P>({
    ...description,
    method: 'GET',
    input: { list, read: ({ queryString, listKey }) => list.read(queryString, listKey) },
    status: 200,
    ok: pageOf(description.path, item),
    example: { results: [present(example)], next: null, previous: null },
    handle: async (request) => {
      const page = await useCase(request);
      const { checksum } = await request.readInput();
      return { body: envelope(request, checksum, page, present) };
    },
  });

/** Makes the body of a page. Its links repeat all other parameters as they were sent; their cursors contain the checksum. */
export const envelope = <Item, Shown>(
  { path, queryString }: { readonly path: string; readonly queryString: string },
  checksum: string,
  { items, next, previous, count }: Page<Item>,
  present: (item: Item) => Shown,
) => {
  const rest = next || previous ? withoutCursor(queryString) : '';
  // Not concatenated, because V8 serializes JSON on its fast path only if every string is flat.
  const link = (position: Position | null): string | null =>
    position && [path, '?', rest, rest && '&', 'cursor=', encodeCursor(checksum, position)].join('');
  const page = { results: items.map((item) => present(item)), next: link(next), previous: link(previous) };
  return count === undefined ? page : { ...page, count };
};
