import { parseCalendarDate } from './calendar-date.ts';
import type { Instant } from './user.ts';

/** Tells whether a text is an instant in the one form in which instants are stored, in the years 0001 to 9999. */
export const isInstant = (text: string): text is Instant => {
  const time = new Date(text);
  // The way back tells whether the day exists; years outside four digits have a sign.
  return /^\d/.test(text) && !text.startsWith('0000') && !Number.isNaN(time.getTime()) && time.toISOString() === text;
};

/**
 * Reads an instant from text with an offset (ISO 8601). The pattern decides which notations are accepted; its first group
 * is the day. Undefined for other text, for days that do not exist, and outside the years 0001 to 9999.
 */
export const parseInstant = (text: string, pattern: RegExp): Instant | undefined => {
  const day = pattern.exec(text)?.[1];
  const time = new Date(text);
  if (day === undefined || !parseCalendarDate(day) || Number.isNaN(time.getTime())) return undefined;
  const instant = time.toISOString();
  // An offset can lead out of the years that there are.
  return isInstant(instant) ? instant : undefined;
};
