import { hash } from 'node:crypto';
import { ENCODINGS, type Encoding, encode } from '../docs/encodings.ts';
import type { Page } from '../docs/page.ts';
import { entityTag, isKnown } from '../requests/headers.ts';
import { requireNoParameters } from '../requests/request-input.ts';
import type { Endpoint } from './http-context.ts';

/** Makes the function that serves a page. The first request for a content coding compresses the page; later ones reuse it. */
export const makeServePage = ({ path, type, cache, load }: Page): Endpoint['serve'] => {
  let loading: ReturnType<typeof load> | undefined;
  const read = async (encoding: Encoding) => {
    loading ??= load();
    const { bytes, headers } = await loading;
    const suffix = encoding === 'identity' ? '' : `-${encoding}`;
    const etag = entityTag(hash('sha256', bytes, 'base64url').slice(0, 22) + suffix);
    return {
      bytes: await encode[encoding](bytes),
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
  const variants = new Map<Encoding, ReturnType<typeof read>>();

  return async (ctx) => {
    ctx.state.route = path;
    requireNoParameters(ctx.querystring);
    // Asks for each coding separately: given several, the library prefers the first in the client's list, often a larger one.
    const encoding = ENCODINGS.find((coding) => ctx.acceptsEncodings(coding) !== false) ?? 'identity';
    const variant = variants.get(encoding) ?? read(encoding);
    variants.set(encoding, variant);
    const { bytes, etag, headers } = await variant;
    ctx.vary('Accept-Encoding');
    ctx.set(headers);
    if (isKnown(ctx.req.headers['if-none-match'], etag)) ctx.status = 304;
    else ctx.body = bytes;
  };
};
