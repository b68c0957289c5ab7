import { Readable } from 'node:stream';
import { CSV_TYPE } from '../requests/accept.ts';
import type { CsvResponse } from '../routes/route.ts';
import type { HttpContext } from './http-context.ts';

const setHead = (ctx: HttpContext, fileName: string): void => {
  ctx.status = 200;
  ctx.set({
    'Content-Type': `${CSV_TYPE}; charset=utf-8; header=present`,
    'Content-Disposition': `attachment; filename="${fileName}"`,
  });
};

/**
 * Streams CSV, no faster than the client reads it. The export ends with the response, however that ends. A failure before
 * the first batch is thrown. A later one, and a client that stops reading, reset the connection: an HTTP/1.0 client would
 * take a closed connection for the end of the file.
 *
 * @throws DomainError `unavailable`.
 */
export const writeCsv = async (ctx: HttpContext, { fileName, header, open }: CsvResponse): Promise<void> => {
  if (ctx.method === 'HEAD') {
    setHead(ctx, fileName);
    return;
  }
  const { res } = ctx;
  const { chunks, close } = await open();
  res.once('close', () => void close());
  // The client may have disconnected before.
  if (res.destroyed) await close();
  const iterator = chunks[Symbol.asyncIterator]();
  const first = await iterator.next();
  async function* text() {
    yield header;
    for (let read = first; !read.done; read = await iterator.next()) yield read.value;
  }
  const body = Readable.from(text(), { objectMode: false });
  const reset = (): void => void res.socket?.resetAndDestroy();
  body.once('error', reset);
  res.once('timeout', reset);
  setHead(ctx, fileName);
  ctx.body = body;
};
