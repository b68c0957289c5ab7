/**
 * Invisible characters that no stored text may contain: control characters, line and paragraph separators, zero-width
 * characters (including soft hyphens, joiners, fillers, annotation marks and tags) and bidirectional overrides.
 * Variation selectors are allowed, because names and emoji use them.
 */
const INVISIBLE =
  /\u034f|\u17b4|\u17b5|[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}]/u;

// NFC and NFKC compose at most 5 UTF-16 units into one code point. The other 3 allow for white space that is trimmed.
const UNITS_PER_CODE_POINT = 8;

// Normalizing text of up to this length takes at most a millisecond.
const SHORT_TEXT_UNITS = 1024;

/** More combining marks in a row than Unicode's Stream-Safe Text Format allows (UAX #15, section 13). */
const LONG_MARK_RUN = /(?<!\p{M})\p{M}{31}/u;

/** Whether the raw length shows that text has more than `maxCodePoints` code points in every normal form. */
export const isFarTooLong = (text: string, maxCodePoints: number): boolean =>
  text.length > maxCodePoints * UNITS_PER_CODE_POINT;

/** Whether text is long and has more than 30 combining marks in a row. `normalize` takes quadratic time for such a run. */
export const hasLongMarkRun = (text: string): boolean => text.length > SHORT_TEXT_UNITS && LONG_MARK_RUN.test(text);

/**
 * Whether text of at most `maxCodePoints` code points can be normalized in linear time. Check all external text by this
 * before trimming or normalizing it. See contract §1.
 */
export const isNormalizable = (text: string, maxCodePoints: number): boolean =>
  !isFarTooLong(text, maxCodePoints) && !hasLongMarkRun(text);

/**
 * Returns the form in which text is stored, measured and compared: NFC, trimmed. Check the text by
 * {@link isNormalizable} first.
 */
export const normalizeText = (text: string): string => text.normalize('NFC').trim();

/** Whether text is well-formed Unicode without invisible characters. */
export const isVisibleText = (text: string): boolean => text.isWellFormed() && !INVISIBLE.test(text);

/**
 * Returns the form for comparing, ordering and searching text regardless of case: Unicode lower case, with the Greek
 * final sigma replaced by the usual one, because the lower case of a sigma depends on the character after it.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/**
 * Returns the form for looking up a name of at most `maxCodePoints` code points. Returns the empty string, which
 * matches no name, for text that cannot be such a name.
 */
export const normalizeForLookup = (text: string, maxCodePoints: number): string =>
  isNormalizable(text, maxCodePoints) ? foldCase(normalizeText(text)) : '';

/** Returns the number of code points, the unit of every length in this service. */
export const codePointLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/** A domain name converted by {@link snakeCase}. */
export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

/** Converts a domain name to the spelling of the API and the command line: `firstName` to `first_name`. Contract §1. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * A regular expression, valid in JavaScript and in PostgreSQL, for texts that a spreadsheet would read as a formula
 * (OWASP, "CSV Injection"), also with full-width characters or the minus sign (U+2212). It also matches such texts
 * after any number of apostrophes.
 */
export const FORMULA_PATTERN = "^'*[=+@＝＋－＠−-]";

const FORMULA = new RegExp(FORMULA_PATTERN);

/**
 * Puts an apostrophe, which marks text in spreadsheets, before a text that a spreadsheet would read as a formula. A
 * text that looks guarded already gets one more, so that {@link removeFormulaGuard} returns the original text.
 */
export const guardFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Formats a text as a cell of a CSV file (RFC 4180), guarded like {@link guardFormula}. */
export const csvCell = (text: string): string => {
  const guarded = guardFormula(text);
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
};

/** The first character of a CSV file for spreadsheets. Without it, Excel reads UTF-8 as the code page of Windows. */
export const BYTE_ORDER_MARK = '\ufeff';

/** Formats an instant as spreadsheets recognize it: in UTC to the second, without a time zone. */
export const spreadsheetInstant = (instant: string): string => instant.slice(0, 19).replace('T', ' ');

/** Removes the apostrophe that {@link guardFormula} adds. */
export const removeFormulaGuard = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
