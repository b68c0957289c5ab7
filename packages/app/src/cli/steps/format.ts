import {
  BYTE_ORDER_MARK,
  codePointLength,
  csvCell,
  DIVISION_FIELDS,
  type Division,
  pick,
  spreadsheetInstant,
  USER_FIELDS,
  type User,
  type UserActivity,
} from '@chapter/domain/ports';
import { snakeCased } from '../../text/text.ts';

/** Formats a value on one line. Shows the name of an object that has one, and a dash for an absent or empty value. */
export const formatValue = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(formatValue).join(', ') || '–';
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object' && 'name' in value) return formatValue(value.name);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const padded = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - codePointLength(cell)))
    .join('  ')
    .trimEnd();

type Rows = readonly (readonly unknown[])[];

/**
 * Returns a function that formats the rows of a table in batches. The first batch starts with a header row. Each batch
 * has aligned columns, which are at least as wide as in earlier batches.
 */
const makeTable = (columns: readonly string[]): ((rows: Rows) => string) => {
  let header = [columns.map((name) => name.toUpperCase())];
  let widths: readonly number[] = columns.map(() => 0);
  return (rows) => {
    const lines = [...header, ...rows.map((row) => row.map(formatValue))];
    header = [];
    // A call has at most about 100,000 arguments, so Math.max cannot compare all lines in one call.
    for (const line of lines) widths = widths.map((width, at) => Math.max(width, codePointLength(line[at] ?? '')));
    return lines.map((line) => `${padded(line, widths)}\n`).join('');
  };
};

const csvText = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return '';
  return csvCell(typeof value === 'boolean' ? String(value) : formatValue(value));
};

const csvLine = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;

/**
 * Does the same as {@link makeTable} in CSV (RFC 4180). Absent values are empty, flags are `true` or `false`. For
 * spreadsheets, `instants` names the columns of instants (contract §11).
 */
const makeCsv = (columns: readonly string[], instants?: readonly string[]): ((rows: Rows) => string) => {
  let header = (instants ? BYTE_ORDER_MARK : '') + csvLine(columns.map((name) => name.replaceAll(' ', '_')));
  const isInstant = columns.map((name) => instants?.includes(name) ?? false);
  const cellOf = (value: unknown, at: number): string =>
    isInstant[at] && typeof value === 'string' ? spreadsheetInstant(value) : csvText(value);
  return (rows) => {
    const text = header + rows.map((row) => csvLine(row.map(cellOf))).join('');
    header = '';
    return text;
  };
};

/** The formats of a list beside a table and JSON. */
export const LIST_FORMATS = ['csv', 'spreadsheet'] as const;
/** One of {@link LIST_FORMATS}. */
export type ListFormat = (typeof LIST_FORMATS)[number];

/** Does the same as {@link makeTable} in the chosen format, by default as a table. */
export const makeRows = (
  format: ListFormat | undefined,
  columns: readonly string[],
  instants: readonly string[] = [],
): ((rows: Rows) => string) =>
  format ? makeCsv(columns, format === 'csv' ? undefined : instants) : makeTable(columns);

/** Returns functions that format a JSON array in batches. The text is that of `JSON.stringify(array, null, 2)`. */
export const makeJsonArray = () => {
  let isEmpty = true;
  return {
    items: (items: readonly unknown[]): string => {
      const texts = items.map((item) => `  ${JSON.stringify(item, null, 2).replaceAll('\n', '\n  ')}`);
      const text = texts.length === 0 ? '' : `${isEmpty ? '[' : ','}\n${texts.join(',\n')}`;
      isEmpty &&= texts.length === 0;
      return text;
    },
    end: (): string => (isEmpty ? '[]\n' : '\n]\n'),
  };
};

/** Formats an object with one field per line. */
export const formatRecord = (fields: Readonly<Record<string, unknown>>): string => {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}\n`)
    .join('');
};

/** Returns a division as the API represents it. */
export const divisionJson = (division: Division) => pick(division, DIVISION_FIELDS);

/** Returns a user as the API represents it to a Leader. */
export const userJson = (user: User): Readonly<Record<string, unknown>> => snakeCased(pick(user, USER_FIELDS));

/** Returns a user with the day of their last login or refresh. */
export const activityJson = ({ lastActiveOn, user }: UserActivity): Readonly<Record<string, unknown>> => ({
  ...userJson(user),
  last_active_on: lastActiveOn,
});
