import type { CalendarDate } from './user.ts';

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** A day of the Gregorian calendar from `YYYY-MM-DD`; undefined for other text and for days that do not exist. */
export const parseCalendarDate = (text: string): CalendarDate | undefined => {
  const [, year, month, day] = SHAPE.exec(text) ?? [];
  if (!year || !month || !day || year === '0000') return undefined;
  // Date.parse accepts 30 February and makes it 1 or 2 March, so the way back tells whether the day exists.
  const parsed = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text) ? text : undefined;
};
