import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type ListExports, type ListedUser, unavailable } from '@chapter/domain/api';
import { makeServedChapter, type ServedChapter } from './chapter.ts';

export const CSV = { accept: 'text/csv' };

/** Returns the audit entries of exports. */
export const exportsIn = async ({ world }: ServedChapter) =>
  (await world.audit.list({ limit: 100 })).filter(({ action }) => action.startsWith('export'));

/** The headers with which the Leader asks for CSV. */
export const csvHeaders = async (chapter: ServedChapter): Promise<Readonly<Record<string, string>>> => ({
  ...CSV,
  authorization: `Bearer ${await chapter.tokenOf(chapter.leader)}`,
});

/** Requests the users as CSV, and returns the response before its body. */
export const beginExport = async (chapter: ServedChapter): Promise<IncomingMessage> => {
  const headers = await csvHeaders(chapter);
  const sent = get({ port: chapter.port, host: '127.0.0.1', path: '/api/users/', headers });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // The response reports the error too.
  sent.on('error', () => {});
  return response;
};

/** The bytes of a request for the users as CSV. */
export const csvRequest = async (chapter: ServedChapter, version: '1.0' | '1.1'): Promise<string> => {
  const token = await chapter.tokenOf(chapter.leader);
  return `GET /api/users/ HTTP/${version}\r\nHost: a\r\nAccept: text/csv\r\nAuthorization: Bearer ${token}\r\n\r\n`;
};

/** Sends a request of HTTP/1.0 for the users as CSV. */
export const beginOldExport = async (chapter: ServedChapter): Promise<Socket> => {
  const request = await csvRequest(chapter, '1.0');
  const socket = connect(chapter.port, '127.0.0.1');
  socket.write(request);
  return socket;
};

/** Serves a chapter whose exports of users open as `open` says. */
export const serveExports = (
  open: (users: ListExports['users']) => ListExports['users'],
  limits?: Parameters<typeof makeServedChapter>[2],
): Promise<ServedChapter> =>
  makeServedChapter({}, ({ listExports: all }) => ({ listExports: { ...all, users: open(all.users) } }), limits);

/** What the exports of a test do: each batch is `next()`. */
export interface Batches {
  opening: () => Promise<void>;
  next: () => Promise<readonly ListedUser[]>;
  /** The number of batches. */
  count: number;
  pulled: number;
  closed: number;
}

/** Serves a chapter whose exports of users read the batches of a test. */
export const serveBatches = async (
  next: (chapter: ServedChapter) => Promise<readonly ListedUser[]>,
  idleMs = 600_000,
): Promise<{ readonly chapter: ServedChapter; readonly batches: Batches }> => {
  const batches: Batches = {
    opening: async () => {},
    next: () => next(chapter),
    count: Number.POSITIVE_INFINITY,
    pulled: 0,
    closed: 0,
  };
  async function* read() {
    for (; batches.closed === 0 && batches.pulled < batches.count; batches.pulled++) yield await batches.next();
    if (batches.closed > 0) throw unavailable();
  }
  const close = async () => {
    batches.closed += 1;
  };
  const users: ListExports['users'] = async () => {
    await batches.opening();
    return { batches: read(), close };
  };
  const chapter = await serveExports(() => users, { times: { idleMs } });
  return { chapter, batches };
};

/** A batch that is larger than a buffer of a socket. */
export const manyUsers = async ({ leader }: ServedChapter): Promise<readonly ListedUser[]> => Array(200).fill(leader);

/** Waits until an export is closed. */
export const isClosed = async (batches: Batches): Promise<void> => {
  while (batches.closed === 0) await turn();
};
