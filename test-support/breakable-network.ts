import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy in front of the database, which a test can break. */
export interface BreakableNetwork {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** The number of open connections. */
  readonly connections: number;
  /** How often a client waited for the server so far: the bursts of data that clients sent. */
  readonly trips: number;
  /** Closes every connection, and refuses new ones until `mend` is called. */
  cut(): void;
  /** Ends `cut`, `hang` and `hangNew`: accepts connections and forwards again. */
  mend(): void;
  /** Closes a connection when it carries this text to the server: before the text is forwarded, or right afterwards. */
  cutAt(text: string, where: 'before' | 'after'): void;
  /** Stops forwarding on a connection when it carries this text to the server; the text is not forwarded. */
  stallAt(text: string): void;
  /** Closes every connection, and forwards new ones to the server of another URL. */
  redirectTo(target: string): void;
  /** Sends all clients a ParameterStatus message, as the server would after a change of the parameter. */
  reportParameter(parameter: string, value: string): void;
  /** Stops forwarding on the existing connections, which stay open. New connections work. */
  stall(): void;
  /** Stops forwarding on existing and new connections until `mend` is called. They stay open. */
  hang(): void;
  /** Forwards nothing on new connections until `mend` is called. Existing connections work. */
  hangNew(): void;
  close(): Promise<void>;
}

/** Sees the data of one connection. */
interface ConnectionWatch {
  readonly sent: (chunk: Buffer) => void;
  readonly received: (chunk: Buffer) => void;
}

/** Returns a ParameterStatus message (PostgreSQL, "Message Formats"). */
const parameterStatus = (parameter: string, value: string): Buffer => {
  const body = Buffer.from(`${parameter}\0${value}\0`);
  const head = Buffer.from('S\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Starts a proxy in front of the server in a URL. `watch` is called for each connection. */
export const makeBreakableNetwork = async (
  target: string,
  watch?: () => ConnectionWatch,
): Promise<BreakableNetwork> => {
  const url = new URL(target);
  let server = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHanging = false;
  let trap: { readonly text: string; readonly where: 'before' | 'after' | 'stall' } | undefined;
  const clients = new Set<Socket>();
  let trips = 0;

  const stall = (): void => {
    for (const socket of sockets) socket.pause();
  };
  const listener = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(server.port), server.hostname);
    let isDetached = false;
    let isAnswered = true;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        if (!isDetached) other.destroy();
      });
    }
    clients.add(client);
    const watching = watch?.();
    client.on('close', () => clients.delete(client));
    upstream.on('data', (chunk: Buffer) => {
      isAnswered = true;
      watching?.received(chunk);
      client.write(chunk);
    });
    upstream.on('end', () => client.end());
    client.on('data', (chunk: Buffer) => {
      if (isAnswered) trips += 1;
      isAnswered = false;
      watching?.sent(chunk);
      const hit = trap && chunk.includes(trap.text) ? trap : undefined;
      if (!hit || hit.where === 'after') upstream.write(chunk);
      if (!hit) return;
      trap = undefined;
      if (hit.where === 'stall') {
        client.pause();
        return;
      }
      // Data that was already forwarded reaches the server, but no response reaches the client.
      isDetached = true;
      client.resetAndDestroy();
      upstream.resume();
      upstream.end();
    });
    if (isHanging) for (const socket of [client, upstream]) socket.pause();
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: url.href,
    get connections() {
      return clients.size;
    },
    get trips() {
      return trips;
    },
    cut,
    mend: () => {
      isCut = false;
      if (isHanging) for (const socket of sockets) socket.resume();
      isHanging = false;
    },
    cutAt: (text, where) => {
      trap = { text, where };
    },
    stallAt: (text) => {
      trap = { text, where: 'stall' };
    },
    redirectTo: (other) => {
      server = new URL(other);
      for (const socket of sockets) socket.resetAndDestroy();
    },
    reportParameter: (parameter, value) => {
      for (const client of clients) client.write(parameterStatus(parameter, value));
    },
    stall,
    hang: () => {
      isHanging = true;
      stall();
    },
    hangNew: () => {
      isHanging = true;
    },
    close: async () => {
      cut();
      listener.close();
      await once(listener, 'close');
    },
  };
};
