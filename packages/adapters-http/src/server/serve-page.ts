import { hash } from 'node:crypto';
import type { Page } from '../docs/page.ts';
import { entityTag, isKnown } from '../requests/etag.ts';
import { header } from '../requests/header.ts';
import { nothing } from '../requests/request-input.ts';
import type { Context } from './http-context.ts';

/** Makes the function that serves a page, from memory after the first time. */
export const makeServePage = ({ path, type, cache, load }: Page) => {
  const read = async () => {
    const { bytes, headers } = await load();
    const etag = entityTag(hash('sha256', bytes, 'base64url').slice(0, 22));
    return { bytes, etag, headers: { ...headers, 'Content-Type': type, 'Cache-Control': cache, ETag: etag } };
  };
  let loading: ReturnType<typeof read> | undefined;

  return async (ctx: Context): Promise<void> => {
    ctx.state.route = path;
    await nothing.read(ctx, '');
    loading ??= read();
    const { bytes, etag, headers } = await loading;
    ctx.set(headers);
    if (isKnown(header(ctx.req, 'if-none-match'), etag)) ctx.status = 304;
    else ctx.body = bytes;
  };
};
