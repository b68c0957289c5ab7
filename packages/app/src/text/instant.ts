import { type Instant, parseInstant } from '@chapter/domain';

const DATE_OR_INSTANT = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/i;

/**
 * Reads an instant from an ISO 8601 date, which means midnight in UTC, or from a time with an offset. Returns undefined
 * for other text and outside the years 1 to 9999.
 */
export const parseDateOrInstant = (text: string): Instant | undefined => parseInstant(text, DATE_OR_INSTANT);
