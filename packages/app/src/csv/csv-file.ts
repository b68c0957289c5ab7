import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { fileErrorReason, OperatorError } from '../errors/operator-error.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const UTF16_BYTE_ORDER_MARKS = new Set(['fffe', 'feff']);

/** Maximum number of bytes without a line end. The limit bounds the memory for a file that is not a CSV file. */
const MAX_LINE_BYTES = 4_194_304;

const notUtf8 = (name: string, line: number): OperatorError =>
  new OperatorError(`${name}, line ${line}: the text is not UTF-8 (perhaps Latin-1); save the file as "CSV UTF-8".`);

const toLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');

const countLineFeeds = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
};

/** Returns the number of whole lines before the first invalid byte. */
const linesBeforeFault = (encoded: Buffer): number => {
  // Latin-1 keeps every byte.
  const bytes = Buffer.from(toLineFeeds(encoded.toString('latin1')), 'latin1');
  let lines = 0;
  for (let from = 0; ; lines++) {
    const end = bytes.indexOf(LINE_FEED, from);
    if (end === -1 || !isUtf8(bytes.subarray(from, end))) return lines;
    from = end + 1;
  }
};

/**
 * Decodes UTF-8, removes a byte-order mark (RFC 3629, section 6) and converts line ends to line feeds. Each chunk
 * except the last ends with a line feed.
 *
 * @throws OperatorError that names the line if the bytes are not UTF-8.
 */
async function* decode(
  name: string,
  chunks: AsyncIterable<Buffer>,
  progress: (bytes: number) => void,
): AsyncGenerator<string> {
  let line = 1;
  let read = 0;
  let rest: Buffer = Buffer.alloc(0);
  const text = (bytes: Buffer): string => {
    if (!isUtf8(bytes)) throw notUtf8(name, line + linesBeforeFault(bytes));
    const decoded = toLineFeeds(bytes.toString('utf8'));
    line += countLineFeeds(decoded);
    return decoded;
  };
  for await (const chunk of chunks) {
    if (read === 0 && UTF16_BYTE_ORDER_MARKS.has(chunk.toString('hex', 0, 2))) {
      throw new OperatorError(`${name}, line 1: the text is UTF-16; save the file as "CSV UTF-8".`);
    }
    const bytes = Buffer.concat([
      rest,
      read === 0 && chunk.toString('hex', 0, 3) === 'efbbbf' ? chunk.subarray(3) : chunk,
    ]);
    read += chunk.length;
    // A cut after a line end splits no character. A carriage return at the end may be the first half of a CRLF.
    const end = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.subarray(0, -1).lastIndexOf(CARRIAGE_RETURN)) + 1;
    rest = bytes.subarray(end);
    if (end > 0) yield text(bytes.subarray(0, end));
    else if (rest.length > MAX_LINE_BYTES)
      throw new OperatorError(`${name}, line ${line}: the line is too long for a CSV file.`);
    progress(read);
  }
  if (rest.length > 0) yield text(rest);
}

/** A record (RFC 4180) and the line of the file where it begins, counted from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Maximum characters of a record. Fields are much shorter; it bounds the memory for an unclosed quotation mark. */
const MAX_RECORD_LENGTH = 1_048_576;

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
async function* readRecords(
  name: string,
  bytes: AsyncIterable<Buffer>,
  progress: (bytes: number) => void,
): AsyncGenerator<CsvRecord> {
  let last = 0;
  // The lines of the records that the parser has not emitted yet.
  const starts: number[] = [];
  const parser = parse({
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_LENGTH,
    // Called as soon as a record is parsed. The parser emits it later, or never if a fault follows.
    on_record: (cells: string[], { lines }) => {
      last = lines;
      starts.push(cells.reduce((line, cell) => line - countLineFeeds(cell), lines));
      return cells;
    },
  });
  const text = Readable.from(decode(name, bytes, progress));
  text.on('error', (error) => parser.destroy(error));
  try {
    for await (const cells of text.pipe(parser) as AsyncIterable<readonly string[]>) {
      yield { line: starts.shift() ?? 0, cells };
    }
  } catch (error) {
    const reason = error instanceof CsvError ? QUOTING_ERRORS[error.code] : undefined;
    if (reason === undefined) throw error;
    throw new OperatorError(`${name}, line ${last + 1}: ${reason}; ${REMEDY}.`, error);
  } finally {
    text.destroy();
  }
}

const CHUNK_BYTES = { min: 16_384, max: 262_144 };

/** Minimum number of chunks of a large file, so that the progress bar moves by at most 2 %. */
const MIN_CHUNKS = 50;

const identify = async (handle: FileHandle): Promise<string> => {
  const { mtimeNs, size } = await handle.stat({ bigint: true });
  return `${mtimeNs} ${size}`;
};

/**
 * Opens a file of comma-separated values, which is read more than once and must not change in between.
 *
 * @throws OperatorError if it cannot be read, is not a regular file, or is empty.
 */
export const openCsv = async (path: string) => {
  const name = basename(path);
  const handle = await open(path, 'r').catch((error: unknown) => {
    throw new OperatorError(`${resolve(path)} cannot be read: ${fileErrorReason(error)}.`, error);
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new OperatorError(`${path} cannot be read: it is a directory.`);
    if (!stats.isFile()) {
      throw new OperatorError(
        `${path} is not a regular file, and the import reads it more than once; save the data to a file first.`,
      );
    }
    if (stats.size === 0) {
      throw new OperatorError(`${name} is empty; its first line must contain the column names.`);
    }
    const opened = await identify(handle);
    const highWaterMark = Math.min(CHUNK_BYTES.max, Math.max(CHUNK_BYTES.min, Math.floor(stats.size / MIN_CHUNKS)));
    return {
      /** The file name without the directory, for messages. */
      name,
      /** Size in bytes. */
      size: stats.size,
      /** Reads all records, including the header. `progress` receives the number of bytes read so far. */
      records: (progress: (bytes: number) => void) =>
        readRecords(name, handle.createReadStream({ start: 0, autoClose: false, highWaterMark }), progress),
      /** @throws OperatorError if the file has changed since it was opened. */
      assertUnchanged: async (): Promise<void> => {
        if ((await identify(handle)) !== opened) {
          throw new OperatorError(`${name} changed during the import; try again when no other program writes to it.`);
        }
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** An open CSV file. */
export type CsvFile = Awaited<ReturnType<typeof openCsv>>;
