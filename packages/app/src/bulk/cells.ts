import { type FieldCheck, fault, parseUuid } from '@chapter/domain';
import { parseInstant } from '../text/instant.ts';

/** The cells of a row by the names of their columns, those that say nothing left out. */
export type Cells = Readonly<Partial<Record<string, string>>>;

/** An apostrophe that an export has put before what a spreadsheet would take for a formula. */
const GUARDED = /^'+[=+@＝＋－＠-]/;

/** A text as it was before an export guarded it, or as somebody has written it. */
export const unguarded = (cell: string): string => (GUARDED.test(cell) ? cell.slice(1) : cell);

const trimmed =
  <T>(check: (text: string) => ReturnType<FieldCheck<T>>): FieldCheck<T> =>
  (input) =>
    check(String(input).trim());

/** `true` or `false`, in whatever case, for spreadsheets shout. */
export const flagCell: FieldCheck<boolean> = trimmed((text) => {
  const lower = text.toLowerCase();
  return lower === 'true' || lower === 'false'
    ? { value: lower === 'true' }
    : fault('invalid_format', 'must be true or false');
});

/** A UUID, of whatever version: another system may have given it. */
export const idCell: FieldCheck<string> = trimmed((text) => {
  const value = parseUuid(text);
  return value === undefined ? fault('invalid_format', 'must be a UUID') : { value };
});

const EARLIEST_INSTANT = '1900-01-01T00:00:00.000Z';

/** A day or a time in ISO 8601, from 1900 on, as an instant in UTC. */
export const instantCell: FieldCheck<string> = trimmed((text) => {
  const value = parseInstant(text);
  if (value === undefined) {
    return fault('invalid_format', 'must be a time such as 2026-01-31T12:00:00.000Z, or a day');
  }
  return value >= EARLIEST_INSTANT ? { value } : fault('out_of_range', 'must be from 1900 on');
});
