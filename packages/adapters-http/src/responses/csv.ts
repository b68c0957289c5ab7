import {
  csvCell,
  type DivisionReference,
  type FieldKind,
  fileColumn,
  type Group,
  type ListField,
} from '@chapter/domain';

/** The text of a list as CSV: RFC 4180, with the columns and cells of the command line's export. */
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

/** Returns the CSV format of a list that shows the given fields. */
export const csvFormat = <Field extends string>(
  fields: Readonly<Record<Field, ListField>>,
): CsvFormat<Readonly<Record<Field, unknown>>> => {
  const columns = (Object.keys(fields) as Field[]).map((field) => ({ field, format: CELLS[fields[field].kind] }));
  const names = columns.map(({ field }) => fileColumn(field, fields[field]));
  return {
    header: names.join(',') + LINE_END,
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
