import { Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import { OperatorError } from '../errors/operator-error.ts';
import { decode } from './decode.ts';

/** A record (RFC 4180), with the line of the file that it begins in; the first line is 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Characters of a record at most: many times what the fields may have, and little beside a file that is one open quote. */
const MAX_RECORD_LENGTH = 1_048_576;

const lineFeeds = (cells: readonly string[]): number => {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) count += 1;
  }
  return count;
};

const QUOTING_ERRORS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark opens here that nothing closes',
  CSV_MAX_RECORD_SIZE: 'a quotation mark opens here that nothing closes, or the line is far too long',
  CSV_INVALID_CLOSING_QUOTE: 'there is text behind a closing quotation mark',
  INVALID_OPENING_QUOTE: 'there is a quotation mark within a value',
};
const REMEDY =
  'a value with quotation marks, commas or line breaks has to be in quotation marks, those within it doubled';

/**
 * The records of a file, with blank lines left out.
 *
 * @throws OperatorError that names the line, where the text is not UTF-8 or the quotation marks make no sense.
 */
export async function* readRecords(
  name: string,
  bytes: AsyncIterable<Buffer>,
  progress: (bytes: number) => void,
): AsyncGenerator<CsvRecord> {
  let last = 0;
  const options: Options<CsvRecord, string[]> = {
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_LENGTH,
    // Called as the text is read; what comes out of the parser comes later, and after a fault not at all.
    on_record: (cells, { lines }) => {
      last = lines;
      return { line: lines - lineFeeds(cells), cells };
    },
  };
  // The package's types know records of another shape only together with its own names for columns.
  const parser = parse(options as unknown as Options);
  const text = Readable.from(decode(name, bytes, progress));
  text.on('error', (error) => parser.destroy(error));
  try {
    yield* text.pipe(parser) as AsyncIterable<CsvRecord>;
  } catch (error) {
    const reason = error instanceof CsvError ? QUOTING_ERRORS[error.code] : undefined;
    if (reason === undefined) throw error;
    throw new OperatorError(`${name}, line ${last + 1}: ${reason}; ${REMEDY}.`, error);
  } finally {
    text.destroy();
  }
}
