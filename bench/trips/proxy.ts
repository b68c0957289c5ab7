import { makeBreakableNetwork } from '../../test-support/breakable-network.ts';

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

/** Starts a proxy in front of the database in a URL, which counts what passes. It does not understand TLS. */
export const startProxy = async (databaseUrl: string) => {
  let [trips, statements, unanswered] = [0, 0, 0];
  const seeSent = (type: string): void => {
    // Query, which is a statement and a Sync; Execute; Sync.
    if (type === 'Q' || type === 'E') statements += 1;
    if (type !== 'Q' && type !== 'S') return;
    if (unanswered === 0) trips += 1;
    unanswered += 1;
  };
  // ReadyForQuery is the response to a Sync, and ends the start of a connection.
  const seeReceived = (type: string): void => {
    if (type === 'Z') unanswered = Math.max(0, unanswered - 1);
  };
  const watch = () => ({ sent: makeReader(false, seeSent), received: makeReader(true, seeReceived) });
  const network = await makeBreakableNetwork(databaseUrl, watch);
  return {
    url: network.url,
    close: () => network.close(),
    /** Returns the counts since the last call. A trip begins when a statement is sent while none is unanswered. */
    take: () => {
      const taken = { trips, statements };
      [trips, statements] = [0, 0];
      return taken;
    },
  };
};
