import { Readable } from 'node:stream';
import { CsvError, type Options, parse } from 'csv-parse';
import { OperatorError } from '../errors/operator-error.ts';
import { decode } from './decode.ts';

/** A record (RFC 4180) and the line of the file where it begins, counted from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Maximum characters of a record. Fields are much shorter; the limit bounds the memory for an unclosed quotation mark. */
const MAX_RECORD_LENGTH = 1_048_576;

const lineFeeds = (cells: readonly string[]): number => {
  let count = 0;
  for (const cell of cells) {
    for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) count += 1;
  }
  return count;
};

const QUOTING_ERRORS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark is not closed',
  CSV_MAX_RECORD_SIZE: 'a quotation mark is not closed, or the line is too long',
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quotation mark',
  INVALID_OPENING_QUOTE: 'an unquoted value contains a quotation mark',
};
const REMEDY = 'put a value with quotation marks, commas or line breaks in quotation marks, and double those within it';

/**
 * Reads the records of a file and skips blank lines.
 *
 * @throws OperatorError that names the line if the text is not UTF-8 or its quotation marks are misplaced.
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
    // Called as soon as a record is parsed. The parser emits it later, or never if a fault follows.
    on_record: (cells, { lines }) => {
      last = lines;
      return { line: lines - lineFeeds(cells), cells };
    },
  };
  // The types of csv-parse allow `on_record` to change the shape of a record only with its `columns` option.
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
