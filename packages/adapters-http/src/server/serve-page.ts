import { hash } from 'node:crypto';
import type { Page } from '../docs/page.ts';
import { entityTag, isKnown } from '../requests/headers.ts';
import { requireNoParameters } from '../requests/request-input.ts';
import type { Endpoint } from './http-context.ts';

/** Makes the function that serves a page, from memory after the first time. */
export const makeServePage = ({ path, type, cache, load }: Page): Endpoint['serve'] => {
  const read = async () => {
    const { bytes, headers } = await load();
    const etag = entityTag(hash('sha256', bytes, 'base64url').slice(0, 22));
    return { bytes, etag, headers: { ...headers, 'Content-Type': type, 'Cache-Control': cache, ETag: etag } };
  };
  let loading: ReturnType<typeof read> | undefined;

  return async (ctx) => {
    ctx.state.route = path;
    requireNoParameters(ctx.querystring);
    loading ??= read();
    const { bytes, etag, headers } = await loading;
    ctx.set(headers);
    if (isKnown(ctx.req.headers['if-none-match'], etag)) ctx.status = 304;
    else ctx.body = bytes;
  };
};
