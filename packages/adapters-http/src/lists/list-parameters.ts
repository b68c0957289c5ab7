import {
  type Checked,
  completeOrder,
  divisionListFields,
  divisionUserListFields,
  type FieldFault,
  type Filter,
  fault,
  type ListField,
  listQuery,
  listRules,
  type Order,
  readSearch,
  userListFields,
  validationFailed,
} from '@chapter/domain/api';
import { Type } from 'typebox';
import { byWireName, MAX_FAULTS, toWireName, unknownName, wireFault } from '../errors/faults.ts';
import { checksumOf, decodeCursor, maxCursorLength, type QueryWithChecksum } from './cursor.ts';
import {
  type Contribution,
  contributing,
  filterParameters,
  type ListParameter,
  readBoolean,
  readCount,
} from './filter-parameters.ts';
import { lengthFault, listLengthFault, nextLengthFault, parseQueryString, unknownParameter } from './query-string.ts';

const { defaultSize, maxSize, maxWords, maxSearchLength } = listRules;

const orderReader =
  (fields: ReadonlyMap<string, string>) =>
  (text: string): Checked<readonly Order<string>[]> => {
    const order: Order<string>[] = [];
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

/** The description of the parameter `page_size`. */
export const pageSizeParameter = {
  name: 'page_size',
  description: 'The maximum number of items on a page.',
  schema: Type.Integer({ minimum: 1, maximum: maxSize, default: defaultSize }),
};

/** Returns the parameters that every paged list has, in the order of the documentation (contract §5). */
const commonParameters = (fieldNames: readonly string[], defaultField: string): readonly ListParameter[] => {
  const names = byWireName(fieldNames);
  const directions = [...names.keys()].flatMap((name) => [name, `-${name}`]);
  return [
    {
      name: 'search',
      description: `At most ${maxWords} words. Each must occur in one of the text fields; case is ignored.`,
      schema: Type.String({ maxLength: maxSearchLength }),
      read: contributing(readSearch, (words) => ({ words })),
    },
    {
      name: 'ordering',
      description:
        'Fields to order by, separated by commas or in repeated parameters; `-` before a field: descending. Null comes last.',
      schema: Type.Array(Type.Enum(directions, { type: 'string' }), {
        minItems: 1,
        default: [toWireName(defaultField)],
      }),
      isList: true,
      read: contributing(orderReader(names), (order) => ({ order })),
    },
    {
      ...pageSizeParameter,
      only: 'pages',
      read: contributing(
        (text) => readCount(text, maxSize),
        (size) => ({ size }),
      ),
    },
    {
      name: 'cursor',
      description: 'The start of a page, from `next` or `previous` of another page of this list.',
      schema: Type.String(),
      only: 'pages',
      read: () => ({ value: {} }),
    },
    {
      name: 'count',
      description: 'Whether to count all items that match the filters.',
      schema: Type.Boolean({ default: false }),
      only: 'pages',
      read: contributing(readBoolean, (counted) => ({ counted })),
    },
    {
      name: 'spreadsheet',
      description: 'Whether the file begins with a byte-order mark and has instants as `YYYY-MM-DD hh:mm:ss` in UTC.',
      schema: Type.Boolean({ default: false }),
      only: 'csv',
      read: contributing(readBoolean, (spreadsheet) => ({ spreadsheet })),
    },
  ];
};

/** The parameters of a paged list, derived from the fields of its items. */
export interface ListParameters<Field extends string> {
  readonly fields: Readonly<Record<Field, ListField>>;
  readonly parameters: ReadonlyMap<string, ListParameter>;
  /**
   * Reads a query string. `key` identifies this list, including the id in its path. With pages, the parameters of CSV
   * are unknown; without pages, those of pages.
   *
   * @throws DomainError `validation_failed` with all faults.
   */
  readonly read: (queryString: string, key: string, hasPages?: boolean) => QueryWithChecksum<Field>;
}

const INVALID_CURSOR = 'is not valid for this list with these parameters; request the first page again';

/** The fault of a parameter of the other kind of response. */
const OTHERS_ONLY = {
  pages: 'is not available for CSV, which contains the whole list',
  csv: 'is available for CSV only; send `Accept: text/csv`',
} as const;

/** Defines the parameters of a list. With `hasFilters`, each of its fields has filter parameters. */
function defineListParameters<Field extends string>(
  fields: Readonly<Record<Field, ListField>>,
  options: { readonly defaultField: NoInfer<Field>; readonly hasFilters: boolean },
): ListParameters<Field>;
// Queries have only fields that are keys of `fields`, which the compiler cannot infer.
function defineListParameters(
  fields: Readonly<Record<string, ListField>>,
  { defaultField, hasFilters }: { readonly defaultField: string; readonly hasFilters: boolean },
): ListParameters<string> {
  const entries = Object.entries(fields);
  const all = [
    ...commonParameters(Object.keys(fields), defaultField),
    ...(hasFilters ? entries.flatMap(([name, field]) => filterParameters(name, field)) : []),
  ];
  const parameters = new Map(all.map((parameter) => [parameter.name, parameter]));
  const without = (other: keyof typeof OTHERS_ONLY) =>
    new Map([...parameters].filter(([, { only }]) => only !== other));
  const ofPages = without('csv');
  const ofCsv = without('pages');
  const defaults = Object.freeze(
    listQuery<string>({
      searched: entries.flatMap(([name, { searched }]) => (searched ? [name] : [])),
      order: [defaultField],
      size: listRules.defaultSize,
    }),
  );

  const longestCursor = maxCursorLength(Object.values(fields));

  const read = (queryString: string, key: string, hasPages = true): QueryWithChecksum<string> => {
    if (queryString === '') return { ...defaults, checksum: checksumOf(key, defaults) };
    const known = hasPages ? ofPages : ofCsv;
    const tooLong = hasPages ? listLengthFault(queryString, longestCursor) : lengthFault(queryString);
    if (tooLong) throw validationFailed([tooLong]);
    const sent = parseQueryString(queryString, (name) => known.get(name)?.isList === true);
    const faults: FieldFault[] = [...sent.faults];
    const filters: Filter<string>[] = [];
    const others: Contribution = {};
    for (const [name, value] of sent.parameters) {
      if (faults.length >= MAX_FAULTS) break;
      const parameter = known.get(name);
      if (!parameter) {
        const { only } = parameters.get(name) ?? {};
        faults.push(
          only ? wireFault(name, 'unknown_parameter', OTHERS_ONLY[only]) : unknownParameter(name, known.keys()),
        );
        continue;
      }
      const checked = parameter.read(value);
      if ('fault' in checked) {
        faults.push(wireFault(name, checked.fault.code, checked.fault.detail));
        continue;
      }
      const { filter, ...rest } = checked.value;
      if (filter) filters.push(filter);
      Object.assign(others, rest);
    }
    const { order = defaults.order } = others;
    const maxCursor = maxCursorLength(order.flatMap(({ field }) => fields[field] ?? []));
    const nextTooLong = hasPages && nextLengthFault(queryString, maxCursor);
    if (nextTooLong) faults.push(nextTooLong);
    if (faults.length > 0) throw validationFailed(faults);
    const query = { ...defaults, ...others, filters };
    const checksum = checksumOf(key, query);
    const cursor = sent.parameters.get('cursor');
    const position = cursor === undefined ? null : decodeCursor({ checksum, order }, fields, cursor);
    if (position === undefined) throw validationFailed([wireFault('cursor', 'invalid_cursor', INVALID_CURSOR)]);
    return { ...query, checksum, position };
  };

  return { fields, parameters, read };
}

/** The parameters of the list of users with all fields. */
export const userListParameters = defineListParameters(userListFields, {
  defaultField: 'dateJoined',
  hasFilters: true,
});

/** The parameters of the list of all divisions. */
export const divisionListParameters = defineListParameters(divisionListFields, {
  defaultField: 'name',
  hasFilters: true,
});

/** The parameters of the list of a division's users with id and username. */
export const divisionUserListParameters = defineListParameters(divisionUserListFields, {
  defaultField: 'username',
  hasFilters: false,
});
