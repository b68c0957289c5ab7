import { codePointLength, type Division, snakeCase, type User } from '@chapter/domain';

/** A value with the names of its fields as the API writes them, at every depth. */
export const snakeCased = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [snakeCase(name), snakeCased(member)]));
};

/** A value in one line for people: of what has a name, the name; what is absent or empty is a dash. */
export const shown = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(shown).join(', ') || '–';
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'object' && 'name' in value) return shown(value.name);
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const padded = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - codePointLength(cell)))
    .join('  ')
    .trimEnd();

/** Rows in even columns below the names of the columns. */
export const table = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string => {
  const lines = [columns.map((name) => name.toUpperCase()), ...rows.map((row) => row.map(shown))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => codePointLength(line[at] ?? ''))));
  return lines.map((line) => `${padded(line, widths)}\n`).join('');
};

/** One thing, a field a line. */
export const record = (fields: Readonly<Record<string, unknown>>): string => {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${shown(value)}\n`)
    .join('');
};

/** A division as the API shows it. */
export const presentDivision = ({ fanpage, id, logo, name }: Division) => ({ id, name, logo, fanpage });

/** A user as the API shows it to a Leader. */
export const presentUser = (stored: User): Readonly<Record<string, unknown>> => {
  const { id, username, email, firstName, lastName, division, groups, birthdate, isActive, ...flags } = stored;
  const { isStaff, isSuperuser, dateJoined } = flags;
  const user = { id, username, email, firstName, lastName, division, groups, birthdate, isActive };
  return snakeCased({ ...user, isStaff, isSuperuser, dateJoined }) as Readonly<Record<string, unknown>>;
};
