import { type FieldFault, type Filter, type ListField, listQuery, listRules, validationFailed } from '@chapter/domain';
import { MAX_FAULTS } from '../errors/fault-limits.ts';
import { wireFault } from '../errors/wire-fault.ts';
import { toWireName } from '../errors/wire-names.ts';
import { commonParameters } from './common-parameters.ts';
import { checksumOf, decodeCursor, maxCursorLength, type QueryWithChecksum } from './cursor.ts';
import { filterParameters } from './filter-parameters.ts';
import type { Contribution, ListParameter } from './list-parameter.ts';
import { lengthFault, listLengthFault, nextLengthFault } from './query-length.ts';
import { parseQueryString, unknownParameter } from './query-string.ts';

/** The parameters of a paged list, derived from the fields of its items. */
export interface ListParameters<Field extends string> {
  readonly fields: Readonly<Record<Field, ListField>>;
  readonly parameters: ReadonlyMap<string, ListParameter<Field>>;
  /**
   * Reads a query string. `key` identifies this list, including the id in its path. Without pages, parameters of pages are
   * unknown.
   *
   * @throws DomainError `validation_failed` with all faults.
   */
  readonly read: (queryString: string, key: string, hasPages?: boolean) => QueryWithChecksum<Field>;
}

const INVALID_CURSOR = 'is not valid for this list with these parameters; request the first page again';

const NO_PAGES = 'is not available for CSV, which contains the whole list';

/** Defines the parameters of a list. With `hasFilters`, each of its fields has filter parameters. */
export const defineListParameters = <Field extends string>(
  fields: Readonly<Record<Field | 'id', ListField>>,
  { defaultField, hasFilters }: { readonly defaultField: NoInfer<Field>; readonly hasFilters: boolean },
): ListParameters<Field | 'id'> => {
  type Name = Field | 'id';
  const names = Object.keys(fields) as Name[];
  const all: readonly ListParameter<Name>[] = [
    ...commonParameters<Name>(fields, toWireName(defaultField)),
    ...(hasFilters ? names.flatMap((name) => filterParameters(name, fields[name])) : []),
  ];
  const parameters = new Map(all.map((parameter) => [parameter.name, parameter]));
  const withoutPages = new Map([...parameters].filter(([, { isOfPages }]) => isOfPages !== true));
  const defaults = Object.freeze(
    listQuery<Field>({
      searched: names.filter((name) => fields[name].searched),
      order: [defaultField],
      size: listRules.defaultSize,
    }),
  );

  const longestCursor = maxCursorLength(Object.values(fields));

  const read = (queryString: string, key: string, hasPages = true): QueryWithChecksum<Name> => {
    if (queryString === '') return { ...defaults, checksum: checksumOf(key, defaults) };
    const known = hasPages ? parameters : withoutPages;
    const tooLong = hasPages ? listLengthFault(queryString, longestCursor) : lengthFault(queryString);
    if (tooLong) throw validationFailed([tooLong]);
    const sent = parseQueryString(queryString);
    const faults: FieldFault[] = [...sent.faults];
    const filters: Filter<Name>[] = [];
    const others: Contribution<Name> = {};
    for (const [name, value] of sent.parameters) {
      if (faults.length >= MAX_FAULTS) break;
      const parameter = known.get(name);
      if (!parameter) {
        faults.push(
          parameters.has(name) ? wireFault(name, 'unknown_parameter', NO_PAGES) : unknownParameter(name, known.keys()),
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
    const maxCursor = maxCursorLength(order.map(({ field }) => fields[field]));
    const nextTooLong = hasPages && nextLengthFault(queryString, maxCursor);
    if (nextTooLong) faults.push(nextTooLong);
    if (faults.length > 0) throw validationFailed(faults);
    const firstPage = { ...defaults, ...others, filters };
    const query = { ...firstPage, checksum: checksumOf(key, firstPage) };
    const cursor = sent.parameters.get('cursor');
    if (cursor === undefined) return query;
    const position = decodeCursor(query, fields, cursor);
    if (!position) throw validationFailed([wireFault('cursor', 'invalid_cursor', INVALID_CURSOR)]);
    return { ...query, position };
  };

  return { fields, parameters, read };
};
