import type { CalendarDate } from './user.ts';

const FORMAT = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Returns a `YYYY-MM-DD` text if that day exists in the Gregorian calendar; undefined otherwise. */
export const parseCalendarDate = (text: string): CalendarDate | undefined => {
  const [, year, month, day] = FORMAT.exec(text) ?? [];
  if (!year || !month || !day || year === '0000') return undefined;
  // Date.parse turns 30 February into 1 or 2 March, so compare the result with the text.
  const parsed = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text) ? text : undefined;
};
