import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { visit } from 'jsonc-parser';
import { MAX_FAULTS } from '../errors/fault-limits.ts';
import { bodyTooLarge, HttpError, malformedJson, tooManyChunks, unsupportedMediaType } from '../errors/http-error.ts';
import { bodyRefusalOf } from './body-refusal.ts';

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

/** How many arrays and objects may enclose each other: `[{}]` has two levels. Contract, section 1. */
const MAX_DEPTH = 32;

/** What is wrong with the names of top-level members, by the member. A name in a member's value counts as its own. */
export type DuplicateNames = ReadonlyMap<string, string>;

/** JSON text as it was read. */
export interface ParsedJson {
  readonly value: unknown;
  /** At most 50, which is how many faults a problem has. */
  readonly duplicates: DuplicateNames;
}

// JSON.parse reports neither depth nor duplicate names. The visitor descends by recursion, so it stops by a throw.
const findDuplicates = (text: string): DuplicateNames => {
  const enclosing: Set<string>[] = [];
  const duplicates = new Map<string, string>();
  let member = '';
  const enter = (): void => {
    if (enclosing.push(new Set()) > MAX_DEPTH) {
      throw malformedJson(`the body is nested more than ${MAX_DEPTH} levels deep`);
    }
  };
  const leave = (): void => void enclosing.pop();
  visit(text, {
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectBegin: enter,
    onObjectEnd: leave,
    onObjectProperty: (name) => {
      const isMember = enclosing.length === 1;
      if (isMember) member = name;
      const names = enclosing.at(-1);
      if (names?.has(name) && !duplicates.has(member) && duplicates.size < MAX_FAULTS) {
        duplicates.set(member, isMember ? 'is given twice' : 'has a name that is given twice');
      }
      names?.add(name);
    },
  });
  return duplicates;
};

/**
 * Parses JSON and finds duplicate names.
 *
 * @throws HttpError `malformed_json` for text that is not RFC 8259, or nested more than 32 levels deep.
 */
export const parseJson = (text: string): ParsedJson => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformedJson();
  }
  return { value, duplicates: findDuplicates(text) };
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
