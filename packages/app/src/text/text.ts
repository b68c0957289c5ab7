import { nearest } from '@chapter/adapters-http/names';
import { type Instant, parseInstant, snakeCase } from '@chapter/domain/ports';

/** Returns `; did you mean X?`, or an empty string if no candidate is similar. */
export const didYouMean = (text: string, candidates: readonly string[]): string => {
  const meant = nearest(text, candidates);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
};

const numbers = new Intl.NumberFormat('en-US');

/** Formats a count with its noun: `1 user`, `12,345 users`, `2 entries`. */
export const formatCount = (count: number, thing: string): string =>
  `${numbers.format(count)} ${count === 1 ? thing : `${thing.replace(/(?<![aeiou])y$/, 'ie')}s`}`;

/** Names the first 20 in a sentence, and counts the others. */
export const listNames = (names: readonly string[]): string =>
  names.slice(0, 20).join(', ') + (names.length > 20 ? ` and ${names.length - 20} more` : '');

const DATE_OR_INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i;

/** Reads an ISO 8601 date (midnight in UTC) or time with an offset, in the years 1 to 9999; undefined otherwise. */
export const parseDateOrInstant = (text: string): Instant | undefined => parseInstant(text, DATE_OR_INSTANT);

const snakeCasedValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeCasedValue);
  return typeof value === 'object' && value !== null ? snakeCased(value) : value;
};

/** Converts the field names of an object to snake case at every depth, as the API writes them. */
export const snakeCased = (record: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).map(([name, member]) => [snakeCase(name), snakeCasedValue(member)]));
