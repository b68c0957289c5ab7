import bodyParser from 'koa-bodyparser';
import { bodyTooLarge, HttpError, malformedJson, tooManyChunks, unsupportedMediaType } from '../errors/http-error.ts';
import type { Context } from '../server/http-context.ts';
import { bodyRefusalOf } from './body-refusal.ts';
import { JSON_TYPE, MERGE_PATCH_TYPE, utf8MediaType } from './media-type.ts';
import { type ParsedJson, parseJson } from './parse-json.ts';

/** Bytes of a body at most. Contract, section 1. */
export const BODY_LIMIT = 64 * 1024;

// As text without an encoding the parser hands out the bytes. Its own JSON mode replaces malformed UTF-8, takes an empty
// body for `{}` and an unknown media type for no body; all three have answers of their own here.
const readBytes = bodyParser({
  enableTypes: ['text'],
  extendTypes: { text: [JSON_TYPE, MERGE_PATCH_TYPE] },
  textLimit: String(BODY_LIMIT),
  // Null is how raw-body is asked for a Buffer; the declared type does not know the option.
  encoding: null,
} as bodyParser.Options);

/** Chunks of a body at most. Node takes a microsecond for each, and parses all that have arrived in one go. */
const MAX_CHUNKS = 4096;

const decoder = new TextDecoder('utf-8', { fatal: true });
const done = async (): Promise<void> => {};

const isTooLarge = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && error.type === 'entity.too.large';

const requireReadable = (ctx: Context, mediaTypes: readonly string[]): void => {
  const { 'content-type': contentType, 'content-encoding': coding = 'identity' } = ctx.req.headers;
  if (Number(ctx.req.headers['content-length'] ?? 0) > BODY_LIMIT) throw bodyTooLarge(BODY_LIMIT);
  // A compressed body could unpack to more than anybody wants to read.
  if (coding.toLowerCase() !== 'identity') {
    throw unsupportedMediaType('the body must not be compressed', { 'Accept-Encoding': 'identity' });
  }
  const mediaType = contentType === undefined ? undefined : utf8MediaType(contentType);
  if (mediaType === undefined || !mediaTypes.includes(mediaType)) {
    throw unsupportedMediaType(`the body must be ${mediaTypes.join(' or ')} in UTF-8`);
  }
};

const readAll = async (ctx: Context): Promise<void> => {
  await readBytes(ctx, done);
};

const readChunks = (ctx: Context): Promise<void> =>
  new Promise((resolve, reject) => {
    // The reader listens before it returns its promise, so this listener misses nothing and takes nothing away.
    readAll(ctx).then(resolve, reject);
    let chunks = 0;
    ctx.req.on('data', () => {
      chunks += 1;
      if (chunks > MAX_CHUNKS) reject(tooManyChunks(MAX_CHUNKS));
      // Ends the reading. What has been read already is parsed to its end, before any response can be written.
      if (chunks > 2 * MAX_CHUNKS) ctx.req.socket.destroy();
    });
  });

const decode = (bytes: Buffer): string => {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformedJson();
  }
};

const hasBody = ({ headers }: Context['req']): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Reads the body and parses it.
 *
 * @throws HttpError `body_too_large`, `unsupported_media_type`, `malformed_json`.
 */
export const readJson = async (ctx: Context, mediaTypes: readonly string[]): Promise<ParsedJson> => {
  if (!hasBody(ctx.req)) throw malformedJson();
  requireReadable(ctx, mediaTypes);
  try {
    await readChunks(ctx);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (isTooLarge(error)) throw bodyTooLarge(BODY_LIMIT);
    // Whatever else breaks the stream off: the client has gone, or what it sent is not as long as it said.
    throw bodyRefusalOf(ctx.req) ?? malformedJson();
  }
  const bytes = ctx.request.body;
  if (!Buffer.isBuffer(bytes)) throw unsupportedMediaType(`the body must be ${mediaTypes.join(' or ')} in UTF-8`);
  return parseJson(decode(bytes));
};
