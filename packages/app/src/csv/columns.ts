import { OperatorError } from '../errors/operator-error.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import type { CsvRecord } from './read-records.ts';

/** The columns that a file may have. */
export interface KnownColumns {
  readonly required: readonly string[];
  /** Columns of which the file must have at least one. */
  readonly anyOf?: readonly string[];
  readonly optional: readonly string[];
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const separator = (header: string): string | undefined =>
  [';', '\t', '|'].find((candidate) => header.includes(candidate) && !header.includes(','));

/**
 * Reads the column names from the header of a file.
 *
 * @throws OperatorError that names every unknown, repeated or missing column.
 */
export const readHeader = (
  name: string,
  { cells }: CsvRecord,
  { anyOf = [], optional, required }: KnownColumns,
): readonly string[] => {
  const known = [...required, ...anyOf, ...optional];
  const columns = cells.map((cell) => cell.trim());
  const wrongSeparator = cells.length === 1 && separator(columns[0] ?? '');
  if (wrongSeparator) {
    const shown = wrongSeparator === '\t' ? 'a tab' : `"${wrongSeparator}"`;
    throw new OperatorError(`${name}, line 1: the columns are separated by ${shown}; save the file with commas.`);
  }
  const unknown = columns.filter((column) => !known.includes(column));
  const repeated = columns.filter((column, at) => known.includes(column) && columns.indexOf(column) < at);
  const missing = required.filter((column) => !columns.includes(column));
  const lacksAll = anyOf.length > 0 && !anyOf.some((column) => columns.includes(column));
  const faults = [
    ...unknown.map((column) => {
      const near = known.find((candidate) => column !== '' && candidate.startsWith(`${column}_`));
      const hint = near ? `; did you mean ${near}?` : didYouMean(column, known);
      return column === ''
        ? 'a column has no name'
        : `unknown column "${column}"${hint || `; the columns are ${known.join(', ')}`}`;
    }),
    ...(repeated.length > 0 ? [`${quoted([...new Set(repeated)])} appears twice; remove one`] : []),
    ...(missing.length > 0 ? [`${quoted(missing)} is missing; add it to the header and to every line`] : []),
    ...(lacksAll ? [`the header must have one of the columns ${quoted(anyOf)}`] : []),
  ];
  if (faults.length > 0) {
    throw new OperatorError(
      faults.map((fault) => `${name}, line 1: ${fault}${fault.endsWith('?') ? '' : '.'}`).join('\n'),
    );
  }
  return columns;
};
