import type { IncomingMessage } from 'node:http';
import { MIMEType } from 'node:util';
import { visit } from 'jsonc-parser';
import { MAX_FAULTS } from '../errors/faults.ts';
import { bodyTooLarge, HttpError, malformedJson, tooManyChunks, unsupportedMediaType } from '../errors/problem.ts';

/** A request whose body can be read. */
export interface BodySource {
  readonly message: IncomingMessage;
  /**
   * Reads the body. Returns undefined unless the media type is {@link JSON_TYPE} or {@link MERGE_PATCH_TYPE}.
   *
   * @throws HttpError `body_too_large` beyond {@link BODY_LIMIT}; any other error means that the body is incomplete.
   */
  readonly readBytes: () => Promise<Buffer | undefined>;
}

/** The maximum size of a body in bytes (contract §1). */
export const BODY_LIMIT = 64 * 1024;

/** The media type of request bodies (contract §1). */
export const JSON_TYPE = 'application/json';

/** The media type that PATCH accepts too. RFC 7396. */
export const MERGE_PATCH_TYPE = 'application/merge-patch+json';

// MIMEType takes quadratic time for spaces in a parameter, so the length is checked before parsing.
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

/** The maximum number of chunks. Node parses all received chunks at once, and each takes time. */
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
    // `readBytes` attaches its listeners synchronously, so neither side misses a chunk.
    readBytes().then(resolve, reject);
    let chunks = 0;
    message.on('data', () => {
      chunks += 1;
      if (chunks > MAX_CHUNKS) reject(tooManyChunks(MAX_CHUNKS));
      // Disconnects a client that keeps sending. Up to twice the limit, the connection stays open, because the client
      // may have sent these chunks before the response, and should receive it.
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

/** The maximum nesting of arrays and objects: `[{}]` has two levels (contract §1). */
const MAX_DEPTH = 32;

/** Fault details by top-level member. The member, or a name inside its value, occurs more than once. */
export type DuplicateNames = ReadonlyMap<string, string>;

/** The result of parsing a JSON text. */
export interface ParsedJson {
  readonly value: unknown;
  /** At most 50 entries, like the faults of a problem. */
  readonly duplicates: DuplicateNames;
}

// JSON.parse reports neither depth nor duplicate names. The visitor is recursive; throwing is the only way to stop it.
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
        duplicates.set(member, isMember ? 'appears more than once' : 'contains a name more than once');
      }
      names?.add(name);
    },
  });
  return duplicates;
};

/**
 * Parses JSON text and finds duplicate names.
 *
 * @throws HttpError `malformed_json` for text that is not JSON (RFC 8259) or is nested more than 32 levels deep.
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

/** Returns whether a request has a body, also an empty one whose end is not known. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Reads the body and parses it. @throws HttpError `body_too_large`, `unsupported_media_type`, `malformed_json`. */
export const readJson = async (source: BodySource, mediaTypes: readonly string[]): Promise<ParsedJson> => {
  const { message } = source;
  if (!hasBody(message)) throw malformedJson();
  requireReadable(message, mediaTypes);
  const refusal = refusals.get(message);
  if (refusal) throw refusal;
  const bytes = await readChunks(source).catch((error: unknown) => {
    if (error instanceof HttpError) throw error;
    // The stream failed: the client disconnected, or the body is shorter than its Content-Length.
    throw refusals.get(message) ?? malformedJson();
  });
  if (!bytes) throw wrongMediaType(mediaTypes);
  return parseJson(decode(bytes));
};

const refusals = new WeakMap<IncomingMessage, HttpError>();

/** Stores the error of a request whose body Node's parser could not read, also before the request is served. */
export const noteBodyRefusal = (request: IncomingMessage, refusal: HttpError): void =>
  void refusals.set(request, refusal);
