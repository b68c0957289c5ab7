import { type Instant, parseCalendarDate } from '@chapter/domain';

const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i;

/**
 * The instant that somebody has written: a day, which begins at midnight in UTC, or a time with its offset (ISO 8601).
 * Undefined for what is none, or not within the years 1 to 9999.
 */
export const parseInstant = (text: string): Instant | undefined => {
  const [, day = ''] = INSTANT.exec(text) ?? [];
  const time = new Date(text);
  if (!parseCalendarDate(day) || Number.isNaN(time.getTime())) return undefined;
  const instant = time.toISOString();
  // An offset can lead out of the years that there are.
  return parseCalendarDate(instant.slice(0, 10)) && instant;
};
