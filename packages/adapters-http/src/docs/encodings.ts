import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** The content codings of pages, in order of preference. RFC 9110, section 8.4.1. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;

/** A content coding of pages. */
export type Encoding = (typeof ENCODINGS)[number];

const compressByBrotli = promisify(brotliCompress);
const compressByGzip = promisify(gzip);

// The service compresses before it listens. Levels above 5 save little, and level 11 takes seconds.
const BROTLI_LEVEL = 5;

/** Encodes bytes: one function for each content coding. */
export type Encoders = Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>>;

/** Compresses bytes in the thread pool. */
export const encoders: Encoders = {
  br: (bytes) => compressByBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL } }),
  gzip: (bytes) => compressByGzip(bytes),
  identity: (bytes) => Promise.resolve(bytes),
};
