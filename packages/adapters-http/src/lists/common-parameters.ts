import { type Checked, completeOrder, fault, type ListField, listRules, type Order, readSearch } from '@chapter/domain';
import { Type } from 'typebox';
import { unknownName } from '../errors/unknown-name.ts';
import { byWireName } from '../errors/wire-names.ts';
import type { ListParameter } from './list-parameter.ts';
import { readBoolean } from './values.ts';

const { defaultSize, maxSize, maxWords, maxSearchLength } = listRules;

const readSize = (text: string): Checked<number> => {
  if (!/^-?\d+$/.test(text)) return fault('invalid_type', 'must be a whole number');
  const size = Number(text);
  return size >= 1 && size <= maxSize ? { value: size } : fault('out_of_range', `must be from 1 to ${maxSize}`);
};

const orderReader =
  <Field extends string>(fields: ReadonlyMap<string, Field | 'id'>) =>
  (text: string): Checked<readonly Order<Field | 'id'>[]> => {
    const order: Order<Field | 'id'>[] = [];
    for (const part of text.split(',', fields.size + 1)) {
      const descending = part.startsWith('-');
      const wire = descending ? part.slice(1) : part;
      const field = fields.get(wire);
      if (wire === '') return fault('invalid_format', 'contains an empty field name; use names such as `id` and `-id`');
      if (field === undefined) return fault('invalid_format', unknownName('field', wire, fields.keys()));
      if (order.some((earlier) => earlier.field === field))
        return fault('duplicate', 'must not name a field more than once');
      order.push({ field, descending });
    }
    return { value: completeOrder(order) };
  };

const readAs =
  <T, Key extends string>(read: (text: string) => Checked<T>, key: Key) =>
  (text: string): Checked<Record<Key, T>> => {
    const checked = read(text);
    return 'fault' in checked ? checked : { value: { [key]: checked.value } as Record<Key, T> };
  };

/** Returns the parameters that every paged list has, in the order of the documentation (contract §5). */
export const commonParameters = <Field extends string>(
  fields: Readonly<Record<Field, ListField>>,
  defaultField: string,
): readonly ListParameter<Field | 'id'>[] => {
  const names = byWireName(Object.keys(fields) as Field[]);
  const directions = [...names.keys()].flatMap((name) => [name, `-${name}`]);
  return [
    {
      name: 'search',
      description: `At most ${maxWords} words. Each must occur in one of the text fields; case is ignored.`,
      schema: Type.String({ maxLength: maxSearchLength }),
      read: readAs(readSearch, 'words'),
    },
    {
      name: 'ordering',
      description: 'Fields to order by, separated by commas; `-` before a field: descending. Null comes last.',
      schema: Type.Array(Type.Enum(directions, { type: 'string' }), { minItems: 1, default: [defaultField] }),
      isCommaSeparated: true,
      read: readAs(orderReader<Field>(names), 'order'),
    },
    {
      name: 'page_size',
      description: 'The maximum number of items on a page.',
      schema: Type.Integer({ minimum: 1, maximum: maxSize, default: defaultSize }),
      isOfPages: true,
      read: readAs(readSize, 'size'),
    },
    {
      name: 'cursor',
      description: 'The start of a page, from `next` or `previous` of another page of this list.',
      schema: Type.String(),
      isOfPages: true,
      read: () => ({ value: {} }),
    },
    {
      name: 'count',
      description: 'Whether to count all items that match the filters.',
      schema: Type.Boolean({ default: false }),
      isOfPages: true,
      read: readAs(readBoolean, 'counted'),
    },
  ];
};
