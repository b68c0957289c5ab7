import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { bodyTooLarge, HttpError, malformedJson, tooManyChunks, unsupportedMediaType } from '../errors/http-error.ts';
import { bodyRefusalOf } from './body-refusal.ts';
import { type ParsedJson, parseJson } from './parse-json.ts';

/** A request whose body can be read. */
export interface BodySource {
  readonly message: IncomingMessage;
  /**
   * Reads the body; undefined if its media type is not one of the two below.
   *
   * @throws HttpError `body_too_large` beyond {@link BODY_LIMIT}; any other error means that the body is incomplete.
   */
  readonly readBytes: () => Promise<Buffer | undefined>;
}

/** The largest body in bytes. Contract, section 1. */
export const BODY_LIMIT = 64 * 1024;

/** The media type of bodies. Contract, section 1. */
export const JSON_TYPE = 'application/json';

/** The media type that a PATCH may have as well. RFC 7396. */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

// MIMEType takes time quadratic in the spaces of a parameter, so the length is bounded before it parses.
const MAX_CONTENT_TYPE_LENGTH = 255;

/** Returns the media type in lower case; undefined if it is too long or malformed, or if its charset is not UTF-8. */
const utf8MediaType = (contentType: string): string | undefined => {
  if (contentType === JSON_TYPE) return JSON_TYPE;
  if (contentType.length > MAX_CONTENT_TYPE_LENGTH) return undefined;
  try {
    const { essence, params } = new MIMEType(contentType);
    const charset = params.get('charset') ?? 'utf-8';
    return /^utf-?8$/i.test(charset) ? essence : undefined;
  } catch {
    return undefined;
  }
};

/** The largest number of chunks. Node takes a microsecond for each, and parses all that have arrived in one go. */
const MAX_CHUNKS = 4096;

const decoder = new TextDecoder('utf-8', { fatal: true });

const wrongMediaType = (mediaTypes: readonly string[]): HttpError =>
  unsupportedMediaType(`the body must be ${mediaTypes.join(' or ')} in UTF-8`);

const requireReadable = ({ headers }: IncomingMessage, mediaTypes: readonly string[]): void => {
  const { 'content-type': contentType, 'content-encoding': coding = 'identity' } = headers;
  if (Number(headers['content-length'] ?? 0) > BODY_LIMIT) throw bodyTooLarge(BODY_LIMIT);
  // A compressed body could unpack to more than the limit.
  if (coding.toLowerCase() !== 'identity') {
    throw unsupportedMediaType('the body must not be compressed', { 'Accept-Encoding': 'identity' });
  }
  const mediaType = contentType === undefined ? undefined : utf8MediaType(contentType);
  if (mediaType === undefined || !mediaTypes.includes(mediaType)) throw wrongMediaType(mediaTypes);
};

const readChunks = ({ message, readBytes }: BodySource): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    // The reader listens before it returns its promise, so this listener misses nothing and takes nothing away.
    readBytes().then(resolve, reject);
    let chunks = 0;
    message.on('data', () => {
      chunks += 1;
      if (chunks > MAX_CHUNKS) reject(tooManyChunks(MAX_CHUNKS));
      // Ends the reading. What has been read already is parsed to its end, before any response can be written.
      if (chunks > 2 * MAX_CHUNKS) message.socket.destroy();
    });
  });

const decode = (bytes: Buffer): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformedJson();
  }
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Reads the body and parses it.
 *
 * @throws HttpError `body_too_large`, `unsupported_media_type`, `malformed_json`.
 */
export const readJson = async (source: BodySource, mediaTypes: readonly string[]): Promise<ParsedJson> => {
  const { message } = source;
  if (!hasBody(message)) throw malformedJson();
  requireReadable(message, mediaTypes);
  const bytes = await readChunks(source).catch((error: unknown) => {
    if (error instanceof HttpError) throw error;
    // The stream broke: the client has gone, or the body is not as long as its Content-Length.
    throw bodyRefusalOf(message) ?? malformedJson();
  });
  if (!bytes) throw wrongMediaType(mediaTypes);
  return parseJson(decode(bytes));
};
