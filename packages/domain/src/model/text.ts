/**
 * What no stored text contains, though people do not see it: control characters, line and paragraph separators,
 * zero-width characters (soft hyphen, joiners, fillers, annotation marks and tags among them), and the marks that override
 * the direction of writing. Variation selectors are not among them, for names and emoji are written with them.
 */
const INVISIBLE =
  /\u034f|\u17b4|\u17b5|[\p{Cc}\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e00ff}]/u;

// A composition (NFC or NFKC) takes at most 5 UTF-16 units for each code point that it yields. The rest is room for the
// white space that is trimmed.
const UNITS_PER_CODE_POINT = 8;

// Up to this length, the worst text takes a millisecond to normalize.
const SHORT_TEXT_UNITS = 1024;

/** More combining marks in a row than Unicode's Stream-Safe Text Format has (UAX #15, section 13). */
const LONG_MARK_RUN = /(?<!\p{M})\p{M}{31}/u;

/** Tells from the raw length whether text has more than `maxCodePoints` code points in any normal form. */
export const isFarTooLong = (text: string, maxCodePoints: number): boolean =>
  text.length > maxCodePoints * UNITS_PER_CODE_POINT;

/** Tells whether text is long and has more than 30 combining marks in a row. `normalize` takes quadratic time in them. */
export const hasLongMarkRun = (text: string): boolean => text.length > SHORT_TEXT_UNITS && LONG_MARK_RUN.test(text);

/**
 * Tells whether text that may have `maxCodePoints` code points can be normalized in time linear in its length. Every
 * text from outside is checked by this before it is trimmed or normalized. Contract, section 1.
 */
export const isNormalizable = (text: string, maxCodePoints: number): boolean =>
  !isFarTooLong(text, maxCodePoints) && !hasLongMarkRun(text);

/**
 * Returns the form in which text is stored, measured and compared: NFC, without white space around it. Check the text
 * by {@link isNormalizable} first.
 */
export const normalizeText = (text: string): string => text.normalize('NFC').trim();

/** Tells whether text is well-formed Unicode without invisible characters. */
export const isVisibleText = (text: string): boolean => text.isWellFormed() && !INVISIBLE.test(text);

/**
 * The form in which texts are equal, ordered and searched without regard to case: Unicode lower case, with the Greek
 * final sigma as any other, because which of the two a lower-cased sigma becomes depends on what follows it.
 */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/**
 * Returns the form by which something is looked up whose name has at most `maxCodePoints` code points. Text that cannot
 * be such a name gives the empty string, which names nothing.
 */
export const lookUpForm = (text: string, maxCodePoints: number): string =>
  isNormalizable(text, maxCodePoints) ? foldCase(normalizeText(text)) : '';

/** The number of code points, which is how every length in this service counts. */
export const codePointLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/**
 * Orders by code point, as PostgreSQL's "C" collation orders UTF-8. JavaScript's own `<` orders by UTF-16 unit, which
 * puts everything beyond the basic plane before U+E000.
 */
export const compareCodePoints = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rankOfUnit(left) - rankOfUnit(right);
  }
  return a.length - b.length;
};

/** Surrogates stand for code points above U+FFFF, so they rank above every other unit. */
const rankOfUnit = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
