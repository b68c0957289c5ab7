import { type ListField, type ListQuery, listValueOf, type Page, type Position } from '@chapter/domain';

/** A page from the rows read in the direction of travel, of which there is one more than the page has where it goes on. */
export const toPage = <Field extends string, Item extends Readonly<Record<Field, unknown>>>(
  fields: Readonly<Record<Field, ListField>>,
  { order, position, size }: ListQuery<Field>,
  read: readonly Item[],
): Page<Item> => {
  const items = read.slice(0, size);
  if (position?.side === 'before') items.reverse();
  const edge = (side: Position['side'], item: Item | undefined): Position =>
    item
      ? { side, inclusive: false, values: order.map(({ field }) => listValueOf(fields[field], item[field])) }
      : { side, inclusive: true, values: position?.values ?? [] };
  const next = edge('after', items.at(-1));
  const previous = edge('before', items[0]);
  const goesOn = read.length > size;
  if (!position) return { items, next: goesOn ? next : null, previous: null };
  return position.side === 'after'
    ? { items, next: goesOn ? next : null, previous }
    : { items, next, previous: goesOn ? previous : null };
};
