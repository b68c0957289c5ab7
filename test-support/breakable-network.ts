import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to the database that a test can break. */
export interface BreakableNetwork {
  /** The database's URL by this way. */
  readonly url: string;
  /** How many connections are open at this moment. */
  readonly connections: number;
  /** Cuts every connection, and refuses new ones until it is mended. */
  cut(): void;
  mend(): void;
  /** Cuts a connection as soon as it carries this text to the server: in front of it, or right behind it. */
  cutAt(text: string, where: 'before' | 'after'): void;
  /** Stops carrying anything on a connection as soon as it carries this text to the server, without the text. */
  fallSilentAt(text: string): void;
  /** Cuts every connection, and leads new ones to the server of another URL. */
  leadTo(target: string): void;
  /** Tells all clients, as the server would, that one of its parameters has changed. */
  announce(parameter: string, value: string): void;
  /** Lets the connections that there are stand, and carries nothing on them any more. */
  fallSilent(): void;
  /** The same for connections that are still to come, too, until it is mended; then all of them go on. */
  hang(): void;
  close(): Promise<void>;
}

/** The message ParameterStatus: PostgreSQL, "Message Formats". */
const parameterStatus = (parameter: string, value: string): Buffer => {
  const body = Buffer.from(`${parameter}\0${value}\0`);
  const head = Buffer.from('S\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

export const makeBreakableNetwork = async (target: string): Promise<BreakableNetwork> => {
  const url = new URL(target);
  let server = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  let isHanging = false;
  let trap: { readonly text: string; readonly where: 'before' | 'after' | 'silently' } | undefined;
  const clients = new Set<Socket>();

  const fallSilent = (): void => {
    for (const socket of sockets) socket.pause();
  };
  const listener = createServer((client) => {
    if (isCut) {
      client.resetAndDestroy();
      return;
    }
    const upstream = connect(Number(server.port), server.hostname);
    let isLetGo = false;
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        if (!isLetGo) other.destroy();
      });
    }
    clients.add(client);
    client.on('close', () => clients.delete(client));
    upstream.on('data', (chunk) => client.write(chunk));
    upstream.on('end', () => client.end());
    client.on('data', (chunk) => {
      const hit = trap && chunk.includes(trap.text) ? trap : undefined;
      if (!hit || hit.where === 'after') upstream.write(chunk);
      if (!hit) return;
      trap = undefined;
      if (hit.where === 'silently') {
        client.pause();
        return;
      }
      // What has been sent still reaches the server, and what it answers nobody.
      isLetGo = true;
      client.resetAndDestroy();
      upstream.resume();
      upstream.end();
    });
    if (isHanging) fallSilent();
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
    cut,
    mend: () => {
      isCut = false;
      if (isHanging) for (const socket of sockets) socket.resume();
      isHanging = false;
    },
    cutAt: (text, where) => {
      trap = { text, where };
    },
    fallSilentAt: (text) => {
      trap = { text, where: 'silently' };
    },
    leadTo: (other) => {
      server = new URL(other);
      for (const socket of sockets) socket.resetAndDestroy();
    },
    announce: (parameter, value) => {
      for (const client of clients) client.write(parameterStatus(parameter, value));
    },
    fallSilent,
    hang: () => {
      isHanging = true;
      fallSilent();
    },
    close: async () => {
      cut();
      listener.close();
      await once(listener, 'close');
    },
  };
};
