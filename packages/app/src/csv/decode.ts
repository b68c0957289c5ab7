import { isUtf8 } from 'node:buffer';
import { OperatorError } from '../errors/operator-error.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

const UTF16_BYTE_ORDER_MARKS = new Set(['fffe', 'feff']);

/** Maximum number of bytes without a line end. The limit bounds the memory for a file that is not a CSV file. */
const MAX_LINE_BYTES = 4_194_304;

const notUtf8 = (name: string, line: number): OperatorError =>
  new OperatorError(`${name}, line ${line}: the text is not UTF-8 (perhaps Latin-1); save the file as "CSV UTF-8".`);

const toLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');

const countLines = (text: string): number => {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
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
 * Decodes UTF-8, removes a byte-order mark (RFC 3629, section 6) and converts line ends to line feeds. Each chunk except
 * the last ends with a line feed.
 *
 * @throws OperatorError that names the line if the bytes are not UTF-8.
 */
export async function* decode(
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
    line += countLines(decoded);
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
