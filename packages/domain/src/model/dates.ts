import type { CalendarDate, Instant } from './user.ts';

/** Milliseconds of a day in UTC. */
export const MS_PER_DAY = 24 * 60 * 60 * 1000;

/** Whether a text is an instant in the only format in which instants are stored, in the years 0001 to 9999. */
export const isInstant = (text: string): text is Instant => {
  const time = new Date(text);
  // Formatting the parsed time again shows whether the day exists. Years outside four digits have a sign.
  return /^\d/.test(text) && !text.startsWith('0000') && !Number.isNaN(time.getTime()) && time.toISOString() === text;
};

/**
 * Parses an instant with an offset (ISO 8601). `pattern` decides which notations are accepted; its first group captures
 * the day. Returns undefined for other text, for days that do not exist, and outside the years 0001 to 9999.
 */
export const parseInstant = (text: string, pattern: RegExp): Instant | undefined => {
  const day = pattern.exec(text)?.[1];
  const time = new Date(text);
  if (day === undefined || !parseCalendarDate(day) || Number.isNaN(time.getTime())) return undefined;
  const instant = time.toISOString();
  // The offset can move the instant out of the years 0001 to 9999.
  return isInstant(instant) ? instant : undefined;
};

const FORMAT = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Returns a `YYYY-MM-DD` text if that day exists in the Gregorian calendar; undefined otherwise. */
export const parseCalendarDate = (text: string): CalendarDate | undefined => {
  const [, year, month, day] = FORMAT.exec(text) ?? [];
  if (!year || !month || !day || year === '0000') return undefined;
  // Date.parse turns 30 February into 1 or 2 March, so compare the result with the text.
  const parsed = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(text) ? text : undefined;
};
