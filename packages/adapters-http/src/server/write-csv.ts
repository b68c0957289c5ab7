import { Readable } from 'node:stream';
import { EXPORT_RETRY_AFTER_SECONDS, unavailable } from '@chapter/domain/api';
import { loggedError } from '../errors/problem.ts';
import { CSV_TYPE } from '../requests/headers.ts';
import type { CsvResponse } from '../routes/route.ts';
import type { HttpContext } from './http-context.ts';
import type { HttpLog } from './request-telemetry.ts';

const setHead = (ctx: HttpContext, fileName: string): void => {
  ctx.status = 200;
  ctx.set({
    'Content-Type': `${CSV_TYPE}; charset=utf-8; header=present`,
    'Content-Disposition': `attachment; filename="${fileName}"`,
  });
};

/** Resets a connection. An HTTP/1.0 client would take a closed connection for the end of the file. */
const reset = ({ req }: HttpContext): void => void req.socket.resetAndDestroy();

/** The seconds over which the rate of a client is measured. A second counts if bytes are waiting at its end. */
const RATE_SECONDS = 30;

/**
 * The bytes that a client must accept in that time. At this rate, an export transfers 5 MiB in its five minutes. A
 * slower client would keep others from exporting.
 */
const MIN_ACCEPTED_BYTES = 512 * 1024;

/**
 * Resets the connection if the client reads too slowly or closes its sending side. The signal is aborted when the
 * response has closed.
 */
const watch = (ctx: HttpContext): AbortSignal => {
  const { res } = ctx;
  const { socket } = ctx.req;
  const over = new AbortController();
  const onEnd = (): void => reset(ctx);
  // Node's own listener would close the connection without a reset.
  socket.prependListener('end', onEnd);
  // Without a listener, Node would close the connection while the database takes long.
  res.on('timeout', () => {});
  let written = 0;
  let waitingSeconds = 0;
  const checkRate = (): void => {
    // If nothing is waiting to be sent, the database is slow and not the client.
    if (res.writableLength === 0) return;
    // Includes what waits, which hardly changes: no more is written until the client has accepted some.
    const { bytesWritten } = socket;
    if (waitingSeconds === 0) written = bytesWritten;
    waitingSeconds += 1;
    if (waitingSeconds <= RATE_SECONDS) return;
    if (bytesWritten - written < MIN_ACCEPTED_BYTES) reset(ctx);
    waitingSeconds = 0;
  };
  const rateChecks = setInterval(checkRate, 1000);
  res.once('close', () => {
    clearInterval(rateChecks);
    socket.off('end', onEnd);
    over.abort();
  });
  return over.signal;
};

/** Makes the writer of CSV responses, which ends them when the service stops. */
export const makeCsvWriter = (log: HttpLog) => {
  const unfinished = new Set<HttpContext>();
  let isRefusing = false;

  /**
   * Streams CSV, no faster than the client reads it. The export ends with the response, however that ends. A failure
   * before the first batch is thrown. A later one is logged and resets the connection.
   *
   * @throws DomainError `unavailable`.
   */
  const write = async (ctx: HttpContext, { fileName, header, open }: CsvResponse): Promise<void> => {
    // The response to a client that has disconnected is not sent.
    if (ctx.method === 'HEAD' || ctx.res.destroyed) {
      setHead(ctx, fileName);
      return;
    }
    if (isRefusing) throw unavailable(undefined, EXPORT_RETRY_AFTER_SECONDS);
    const { requestId, route } = ctx.state;
    const over = watch(ctx);
    unfinished.add(ctx);
    over.addEventListener('abort', () => unfinished.delete(ctx));
    const { chunks, close } = await open();
    over.addEventListener('abort', () => void close());
    // If the client disconnected while the export was opening, the listener was added too late.
    if (over.aborted) await close();
    const iterator = chunks[Symbol.asyncIterator]();
    const first = await iterator.next();
    async function* text() {
      yield header;
      try {
        for (let read = first; !read.done; read = await iterator.next()) yield read.value;
      } catch (error) {
        if (!over.aborted) {
          log.warn({ requestId, route, error: loggedError(error) }, 'export failed');
          reset(ctx);
        }
        throw error;
      }
    }
    setHead(ctx, fileName);
    ctx.body = Readable.from(text(), { objectMode: false });
  };

  return {
    write,
    refuse: (): void => {
      isRefusing = true;
    },
    reset: (): void => {
      for (const ctx of unfinished) {
        const { requestId, route } = ctx.state;
        log.warn({ requestId, route }, 'export cut off, because the service stops');
        reset(ctx);
      }
    },
  };
};
