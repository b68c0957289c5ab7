/**
 * A regular expression, valid in JavaScript and in PostgreSQL, for texts that a spreadsheet would read as a formula (OWASP,
 * "CSV Injection"). It also matches such texts after any number of apostrophes.
 */
export const FORMULA_PATTERN = "^'*[=+@＝＋－＠-]";

const FORMULA = new RegExp(FORMULA_PATTERN);

/**
 * Puts an apostrophe, which marks text in spreadsheets, before a text that a spreadsheet would read as a formula. A text
 * that looks guarded already gets one more, so that {@link removeFormulaGuard} returns the original text.
 */
export const guardFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Removes the apostrophe that {@link guardFormula} adds. */
export const removeFormulaGuard = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
