import { type Instant, parseInstant as parse } from '@chapter/domain';

const INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i;

/**
 * Reads an instant from a day, which begins at midnight in UTC, or from a time with its offset (ISO 8601). Undefined for
 * other text, and outside the years 1 to 9999.
 */
export const parseInstant = (text: string): Instant | undefined => parse(text, INSTANT);
