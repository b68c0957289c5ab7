import { type FieldCheck, fault, parseUuid } from '@chapter/domain';
import { parseDateOrInstant } from '../text/instant.ts';

/** The cells of a row by column name. Empty cells are absent, unless an empty cell is a value in their column. */
export type Cells = Readonly<Partial<Record<string, string>>>;

const trimmed =
  <T>(check: (text: string) => ReturnType<FieldCheck<T>>): FieldCheck<T> =>
  (input) =>
    check(String(input).trim());

/** Accepts `true` or `false` in any case, because spreadsheets write them in capitals. */
export const flagCell: FieldCheck<boolean> = trimmed((text) => {
  const lower = text.toLowerCase();
  return lower === 'true' || lower === 'false'
    ? { value: lower === 'true' }
    : fault('invalid_format', 'must be true or false');
});

/** Accepts a UUID of any version, because another system may have generated it. */
export const idCell: FieldCheck<string> = trimmed((text) => {
  const value = parseUuid(text);
  return value === undefined ? fault('invalid_format', 'must be a UUID') : { value };
});

/** Accepts the id of a division. */
export const divisionIdCell: FieldCheck<string> = (input) =>
  String(input).trim() === '' ? fault('too_short', 'must not be empty') : idCell(input);

const EARLIEST_INSTANT = '1900-01-01T00:00:00.000Z';

/** Accepts an ISO 8601 date or time from 1900 on and returns it as an instant in UTC. */
export const instantCell: FieldCheck<string> = trimmed((text) => {
  const value = parseDateOrInstant(text);
  if (value === undefined) {
    return fault('invalid_format', 'must be a date such as 2026-01-31 or a time such as 2026-01-31T12:00:00.000Z');
  }
  return value >= EARLIEST_INSTANT ? { value } : fault('out_of_range', 'must not be before 1900');
});
