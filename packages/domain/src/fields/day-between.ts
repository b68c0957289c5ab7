import { parseCalendarDate } from '../model/calendar-date.ts';
import type { CalendarDate } from '../model/user.ts';
import { type FieldCheck, fault } from './field-check.ts';

/** Returns a check for a day from `first` to the result of `last`, both included. */
export const dayBetween =
  (first: CalendarDate, last: () => CalendarDate): FieldCheck<CalendarDate> =>
  (input) => {
    if (typeof input !== 'string') return fault('invalid_type', 'must be a date string (YYYY-MM-DD)');
    const value = parseCalendarDate(input);
    if (value === undefined) return fault('invalid_format', 'must be a date that exists (YYYY-MM-DD)');
    const latest = last();
    if (value < first || value > latest) return fault('out_of_range', `must be from ${first} to ${latest}`);
    return { value };
  };
