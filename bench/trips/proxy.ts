import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of PostgreSQL that counts what passes. */
export interface CountingProxy {
  /** The URL of the database through the proxy. */
  readonly url: string;
  /** Returns the trips and statements since the last call: a trip begins when a statement is sent while none is unanswered. */
  readonly take: () => { readonly trips: number; readonly statements: number };
  readonly close: () => void;
}

/**
 * Makes a function that takes a stream of bytes and calls `see` with the type of each message. `isTyped` tells whether the
 * first one has a type, which only the client's first message lacks. PostgreSQL 18, chapter 54.
 */
const makeReader = (isTyped: boolean, see: (type: string) => void) => {
  let [unread, typeLength] = [Buffer.alloc(0), isTyped ? 1 : 0];
  return (chunk: Buffer): void => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= typeLength + 4) {
      const length = typeLength + unread.readUInt32BE(typeLength);
      if (unread.length < length) return;
      see(unread.toString('latin1', 0, typeLength));
      typeLength = 1;
      unread = unread.subarray(length);
    }
  };
};

/** Starts a proxy in front of the database in a URL. It does not understand TLS. */
export const startProxy = async (databaseUrl: string): Promise<CountingProxy> => {
  const target = new URL(databaseUrl);
  let [trips, statements, unanswered] = [0, 0, 0];
  const seeSent = (type: string): void => {
    // Query, which is a statement and a Sync; Execute; Sync.
    if (type === 'Q' || type === 'E') statements += 1;
    if (type !== 'Q' && type !== 'S') return;
    if (unanswered === 0) trips += 1;
    unanswered += 1;
  };
  const seeReceived = (type: string): void => {
    // ReadyForQuery answers a Sync, and ends the start of a connection.
    if (type === 'Z') unanswered = Math.max(0, unanswered - 1);
  };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [from, to, read] of [
      [client, database, makeReader(false, seeSent)],
      [database, client, makeReader(true, seeReceived)],
    ] as const) {
      sockets.add(from.setNoDelay());
      from.on('data', read).on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    take: () => {
      const taken = { trips, statements };
      [trips, statements] = [0, 0];
      return taken;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
