import {
  BYTE_ORDER_MARK,
  csvCell,
  type DivisionReference,
  type FieldKind,
  fileColumn,
  type Group,
  type ListField,
  type OpenExport,
  type Page,
  type Position,
  spreadsheetInstant,
} from '@chapter/domain/api';
import { type Static, type TSchema, Type } from 'typebox';
import { toWireName } from '../errors/faults.ts';
import { encodeCursor, type QueryWithChecksum } from '../lists/cursor.ts';
import type { ListParameters } from '../lists/list-parameters.ts';
import { withoutCursor } from '../lists/query-string.ts';
import { header, prefersCsv } from '../requests/headers.ts';
import { exampleOf, freeText, Instant, nullableSchema, objectSchema, UserId } from '../schemas/fields.ts';
import {
  type CsvResponse,
  defineRoute,
  type RouteDescription,
  type SignedInRequest,
  type UntaggedRoute,
} from './route.ts';

const LINE_END = '\r\n';

/** Formats a value that is not null, by the kind of its field. Only texts can contain what must be quoted. */
const CELLS: Readonly<Record<FieldKind, (value: unknown) => string>> = {
  text: (value) => csvCell(String(value)),
  uuid: String,
  date: String,
  instant: String,
  boolean: String,
  division: (value) => (value as DivisionReference).id,
  groups: (value) => (value as readonly Group[]).join(';'),
};

const divisionName = (value: unknown): string => csvCell((value as DivisionReference).name);

const SPREADSHEET_CELLS: typeof CELLS = { ...CELLS, instant: (value) => spreadsheetInstant(String(value)) };

/**
 * Returns the CSV format of a list that shows the given fields: RFC 4180, with the columns and cells of the command
 * line's export. A division has two columns: id and name. For spreadsheets, the text begins with a byte-order mark, and
 * instants are in UTC without a time zone (contract §11).
 */
export const csvFormat = <Field extends string>(
  fields: Readonly<Record<Field, ListField>>,
  forSpreadsheets = false,
) => {
  const cells = forSpreadsheets ? SPREADSHEET_CELLS : CELLS;
  const columns = (Object.keys(fields) as Field[]).flatMap((field) => {
    const { kind } = fields[field];
    const column = { field, name: fileColumn(field, fields[field]), format: cells[kind] };
    return kind === 'division' ? [column, { field, name: field, format: divisionName }] : [column];
  });
  return {
    header: (forSpreadsheets ? BYTE_ORDER_MARK : '') + columns.map(({ name }) => name).join(',') + LINE_END,
    lines: (items: readonly Readonly<Record<Field, unknown>>[]): string => {
      let text = '';
      for (const item of items) {
        let separator = '';
        for (const { field, format } of columns) {
          const value = item[field];
          text += separator;
          if (value !== null) text += format(value);
          separator = ',';
        }
        text += LINE_END;
      }
      return text;
    },
  };
};

const exampleCursor = (side: Position['side']): string =>
  encodeCursor('1n8d2xk', { side, inclusive: false, values: [exampleOf(Instant), exampleOf(UserId)].map(String) });

/** Returns the schema of a page of the list at `path` (contract §5). */
const pageSchema = <Item extends TSchema>(path: string, item: Item) => {
  const link = (side: Position['side'], description: string) =>
    nullableSchema(freeText(`${path}?cursor=${exampleCursor(side)}`, description));
  return objectSchema({
    results: Type.Array(item),
    next: link('after', 'Relative reference of the next page, or null on the last page.'),
    previous: link('before', 'Relative reference of the previous page, or null on the first page.'),
    count: Type.Optional(Type.Integer({ minimum: 0, description: 'Only with `count=true`.', examples: [42] })),
  });
};

/** A route description without the parts that all lists share. */
type ListRouteDescription<
  Field extends string,
  Item extends Readonly<Record<Field, unknown>>,
  Shown extends TSchema,
  P extends `/api/${string}`,
> = Pick<
  RouteDescription<QueryWithChecksum<Field>, Shown, P>,
  'path' | 'operationId' | 'summary' | 'description' | 'problems'
> & {
  readonly list: ListParameters<Field>;
  /** Calls the use case, which authorizes the caller before it reads the query. */
  readonly useCase: (request: SignedInRequest<QueryWithChecksum<Field>, P>) => Promise<Page<Item>>;
  /** Opens an export of the whole list. The use case authorizes the caller before it reads the query. */
  readonly exportUseCase: (request: SignedInRequest<QueryWithChecksum<Field>, P>) => Promise<OpenExport<Item>>;
  readonly fileName: string;
  readonly item: Shown;
  readonly present: (item: Item) => Static<Shown>;
};

/** Returns whether a request is for CSV. Parses only the headers that mention it. */
const asksForCsv = (accept: string | undefined): boolean =>
  accept !== undefined && /text\/csv/i.test(accept) && prefersCsv(accept);

const CSV_NOTE =
  'With `Accept: text/csv`, returns the whole list as CSV; `page_size`, `cursor` and `count` are not available then.';

const csvResponse = <Item>(
  fileName: string,
  { header: headerRow, lines }: { readonly header: string; readonly lines: (items: readonly Item[]) => string },
  open: OpenExport<Item>,
): CsvResponse => ({
  fileName,
  header: headerRow,
  open: async () => {
    const { batches, close } = await open();
    async function* chunks() {
      for await (const batch of batches) yield lines(batch);
    }
    return { chunks: chunks(), close };
  },
});

/** Defines the route of a paged list (contract §5), which is also available as CSV (contract §11). */
export const defineListRoute = <
  Field extends string,
  Item extends Readonly<Record<Field, unknown>>,
  Shown extends TSchema,
  const P extends `/api/${string}`,
>({
  list,
  useCase,
  exportUseCase,
  fileName,
  item,
  present,
  ...description
}: ListRouteDescription<Field, Item, Shown, P>): UntaggedRoute => {
  const plain = csvFormat<Field>(list.fields);
  const forSpreadsheets = csvFormat<Field>(list.fields, true);
  const example = exampleOf(item) as Readonly<Record<string, unknown>>;
  const shown = Object.keys(list.fields).map((field) => [field, example[toWireName(field)]]);
  const exampleItem = Object.fromEntries(shown) as Readonly<Record<Field, unknown>>;
  return defineRoute<TSchema, P, QueryWithChecksum<Field>>({
    ...description,
    description: `${description.description} ${CSV_NOTE}`,
    method: 'GET',
    problems: [...(description.problems ?? []), 'too_costly'],
    input: {
      list,
      read: ({ queryString, listKey, message }) =>
        list.read(queryString, listKey, !asksForCsv(header(message, 'accept'))),
    },
    ok: pageSchema(description.path, item),
    example: { results: [example], next: null, previous: null },
    csvExample: plain.header + plain.lines([exampleItem]),
    handle: async (request) => {
      if (asksForCsv(request.accept)) {
        const open = await exportUseCase(request);
        const { spreadsheet = false } = await request.readInput();
        return csvResponse(fileName, spreadsheet ? forSpreadsheets : plain, open);
      }
      const page = await useCase(request);
      const { checksum } = await request.readInput();
      return { body: envelope(request, checksum, page, present) };
    },
  });
};

/** Makes the body of a page, whose links have a cursor with the checksum, and the other parameters as sent. */
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
