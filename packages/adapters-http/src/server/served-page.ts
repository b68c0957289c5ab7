import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { PASSWORD_PAGE, type StaticPage } from '../docs/pages.ts';
import { entityTag, isNotModified } from '../requests/headers.ts';
import { requireNoParameters } from '../requests/request-input.ts';
import type { HttpContext } from './http-context.ts';

// The content codings of pages, in order of preference. RFC 9110, section 8.4.1.
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

type Encoding = (typeof ENCODINGS)[number];

const compressByBrotli = promisify(brotliCompress);
const compressByGzip = promisify(gzip);

// The service compresses while it starts. Levels above 5 save little, and level 11 takes seconds.
const BROTLI_LEVEL = 5;

/** Encodes bytes: one function for each content coding. */
export type Encoders = Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>>;

/** Compresses bytes in the thread pool. */
export const encoders: Encoders = {
  br: (bytes) => compressByBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL } }),
  gzip: (bytes) => compressByGzip(bytes),
  identity: (bytes) => Promise.resolve(bytes),
};

/** Makes the functions that serve a page. The page is loaded once, and encoded once for each content coding. */
export const makeServedPage = ({ path, type, cache, load }: StaticPage, encoders: Encoders) => {
  let loading: ReturnType<typeof load> | undefined;
  const encode = async (encoding: Encoding) => {
    loading ??= load();
    const { bytes, headers } = await loading;
    const suffix = encoding === 'identity' ? '' : `-${encoding}`;
    const etag = entityTag(hash('sha256', bytes, 'base64url').slice(0, 22) + suffix);
    return {
      bytes: await encoders[encoding](bytes),
      etag,
      headers: {
        ...headers,
        'Content-Type': type,
        'Cache-Control': cache,
        ETag: etag,
        ...(encoding === 'identity' ? {} : { 'Content-Encoding': encoding }),
      },
    };
  };
  const variants = new Map<Encoding, ReturnType<typeof encode>>();
  const variantOf = (encoding: Encoding): ReturnType<typeof encode> => {
    const known = variants.get(encoding);
    if (known) return known;
    const variant = encode(encoding);
    variants.set(encoding, variant);
    variant.catch(() => {
      // The next request tries again: the failure may pass.
      variants.delete(encoding);
      loading = undefined;
    });
    return variant;
  };

  return {
    /** Encodes the page in all content codings. Without this call, the first request for a coding encodes it. */
    prepare: () => Promise.all(ENCODINGS.map(variantOf)),
    serve: async (ctx: HttpContext): Promise<void> => {
      ctx.state.route = path;
      // Mail and chat systems add parameters to a link that a member opens.
      if (path !== PASSWORD_PAGE) requireNoParameters(ctx.querystring);
      // Checks one coding at a time. Given several, the library prefers the client's first, often a larger one.
      const encoding = ENCODINGS.find((coding) => ctx.acceptsEncodings(coding) !== false) ?? 'identity';
      const { bytes, etag, headers } = await variantOf(encoding);
      ctx.vary('Accept-Encoding');
      ctx.set(headers);
      if (isNotModified(ctx.req.headers['if-none-match'], etag)) ctx.status = 304;
      else ctx.body = bytes;
    },
  };
};
