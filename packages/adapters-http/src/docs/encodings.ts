import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The content codings of pages, in order of preference. RFC 9110, section 8.4.1. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;

/** A content coding of pages. */
export type Encoding = (typeof ENCODINGS)[number];

const compressByBrotli = promisify(brotliCompress);
const compressByGzip = promisify(gzip);

// Level 5 of 11, because the start of the service waits for it: higher levels save little, and the highest takes seconds.
const BROTLI_LEVEL = 5;

/** One function for each content coding, which encodes bytes. */
export type Encoders = Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>>;

/** Compresses bytes in the thread pool. */
export const encoders: Encoders = {
  br: (bytes) => compressByBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL } }),
  gzip: (bytes) => compressByGzip(bytes),
  identity: (bytes) => Promise.resolve(bytes),
};
