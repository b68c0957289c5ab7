import { codePointLength } from '@chapter/domain';

/** Formats a value on one line: an object with a name as that name, an absent or empty value as a dash. */
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

/** Formats rows in aligned columns below a header row. */
export const formatTable = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string => {
  const lines = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(formatValue))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => codePointLength(line[at] ?? ''))));
  return lines.map((line) => `${padded(line, widths)}\n`).join('');
};

/** Formats an object with one field per line. */
export const formatRecord = (fields: Readonly<Record<string, unknown>>): string => {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}\n`)
    .join('');
};
