import {
  BYTE_ORDER_MARK,
  csvCell,
  type DivisionReference,
  type FieldKind,
  fileColumn,
  type Group,
  type Instant,
  type ListField,
  spreadsheetInstant,
} from '@chapter/domain/api';

/** The text of a list as CSV: RFC 4180, with the columns and cells of the command line's export, and names of divisions. */
export interface CsvFormat<Item> {
  /** The header row, with its line end. */
  readonly header: string;
  /** Returns a line for each item. */
  readonly lines: (items: readonly Item[]) => string;
}

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

const SPREADSHEET_CELLS: typeof CELLS = { ...CELLS, instant: (value) => spreadsheetInstant(value as Instant) };

/**
 * Returns the CSV format of a list that shows the given fields. A division has two columns: id and name. For spreadsheets, the
 * text begins with a byte-order mark, and instants are in UTC without a time zone (contract §11).
 */
export const csvFormat = <Field extends string>(
  fields: Readonly<Record<Field, ListField>>,
  forSpreadsheets = false,
): CsvFormat<Readonly<Record<Field, unknown>>> => {
  const cells = forSpreadsheets ? SPREADSHEET_CELLS : CELLS;
  const columns = (Object.keys(fields) as Field[]).flatMap((field) => {
    const { kind } = fields[field];
    const column = { field, name: fileColumn(field, fields[field]), format: cells[kind] };
    return kind === 'division' ? [column, { field, name: field, format: divisionName }] : [column];
  });
  return {
    header: (forSpreadsheets ? BYTE_ORDER_MARK : '') + columns.map(({ name }) => name).join(',') + LINE_END,
    lines: (items) => {
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
